# twinflow: `make guide` and `make test` are all a newcomer needs. The work is done by tools/*.sh.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: cluster-schedules help setup guide test test-all quick lint pytest rtest rcheck cover rcover site python R shell bench bench-growth oracle-bench test-clients test-keras test-gpu test-gpu-on-host test-cluster bench-cluster bench-data bench-keras bench-gpu test-matrix docs oracle oracle-files oracle-fuzz oracle-examples clean test-exchange
MAKEFLAGS += --no-print-directory

RUN := tools/run.sh

help: ## list the targets
	@awk -F ':.*## ' '/^[A-Za-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing: system packages, .venv, .rlib (does nothing when all is there)
	@tools/setup.sh

guide: setup ## run the variables guide in Python and R side by side; write build/variables.html
	@tools/guide.sh

test: setup ## everything: ruff, mypy, pytest, lintr, testthat, the guide, R CMD check
	@tools/test.sh

test-all: setup ## the same with all samples of all ops in graphs of every shape knowledge, and R's long arrays (20 GB of memory)
	@TWINFLOW_TEST_ALL=1 TWINFLOW_TEST_LONG=1 tools/test.sh

quick: setup ## the Python tests without those that take long: the loop of somebody who changes a line
	@tools/test.sh quick

lint: setup ## ruff, mypy and lintr alone
	@tools/test.sh ruff mypy lintr

pytest: setup ## the Python and parity tests alone
	@tools/test.sh pytest

rtest: setup ## the R tests alone
	@tools/test.sh testthat

rcheck: setup ## R CMD build and R CMD check alone
	@tools/test.sh rcheck

cover: setup ## which part of the Python code its tests reach (takes three times as long as they do)
	@mkdir -p build/coverage && $(RUN) env TWINFLOW_NEEDS_R=1 python -m pytest -q --cov --cov-report=term

rcover: setup ## which part of the R code its tests reach (where covr is installed)
	@$(RUN) Rscript --no-save --no-restore tools/rcover.R rpkg

site: setup ## the site of Python and R in build/site (MkDocs; the R package's pages where pkgdown is installed)
	@tools/site.sh

python: setup ## start Python with twinflow imported as tf
	@$(RUN) python -i -c 'import twinflow as tf; print("twinflow", tf.version.TWINFLOW_VERSION, "is here as tf")'

R: setup ## start R with library(twinflow) loaded
	@$(RUN) env R_DEFAULT_PACKAGES=datasets,utils,grDevices,graphics,stats,methods,twinflow R --no-save --no-restore --quiet

shell: setup ## start a shell in the project's environment
	@$(RUN) $${SHELL_TO_START:-bash}

bench: setup ## measure: each operation against the bare NumPy call, beside its budget
	@$(RUN) python -m tests.perf.bench

bench-growth: setup ## measure what one of many variables, operations and tensors costs (GROWTH="--sizes 1e4,1e6")
	@$(RUN) python -m tests.perf.growth $(GROWTH)

oracle-bench: setup ## the same beside TensorFlow (TF_PYTHON), PyTorch (TORCH_PYTHON) and JAX (JAX_PYTHON), into docs/performance.md
	@$(RUN) python -m tests.perf.compare $${TF_PYTHON:+tensorflow=$$TF_PYTHON} $${TORCH_PYTHON:+torch=$$TORCH_PYTHON} \
		$${JAX_PYTHON:+jax=$$JAX_PYTHON}

test-matrix: ## the tests with each Python here, oldest and newest NumPy, and in a fresh Debian 13 (root, debootstrap; hours)
	@tools/test_matrix.sh $(PARTS)

test-clients: setup ## programs of libraries written for TensorFlow, in CLIENTS_PYTHON, beside TensorFlow's numbers
	@$(RUN) python -m pytest -q -n 0 -rs tests/clients

test-keras: setup ## Keras' own tests from the checkout KERAS in CLIENTS_PYTHON (some: FOLDERS="losses ops"); without one, our programs
	@if [ -n "$(KERAS)" ]; then $(RUN) python -m tests.clients.keras_suite "$(KERAS)" $(FOLDERS); \
	else $(RUN) python -m pytest -q -n 0 -rs tests/clients -k keras; fi

test-gpu: ## the tests that need a GPU, on a machine with an NVIDIA driver and Python (installs what is missing)
	@tools/gpu.sh test

test-gpu-on-host: ## the same without a GPU: CuPy itself, with every kernel compiled for the host (needs g++; six minutes)
	@tools/gpu_on_host.sh

bench-gpu: ## measure on a GPU: against CuPy alone, PyTorch where it is installed, and the limits of the card
	@tools/gpu.sh bench

bench-data: setup ## measure input pipelines beside TensorFlow (TF_PYTHON)
	@$(RUN) env PYTHONPATH=.:python python -m tests.perf.data_rates

bench-keras: setup ## measure epochs of Keras' models (CLIENTS_PYTHON) beside TensorFlow (TF_PYTHON)
	@$(RUN) env PYTHONPATH=.:python python -m tests.perf.keras_epochs

bench-cluster: setup ## measure tasks in other processes, beside TensorFlow where TF_PYTHON is given
	@$(RUN) env PYTHONPATH=.:python python -m tests.perf.cluster

test-cluster: setup ## the tests of tasks in other processes, three times
	@for i in 1 2 3; do $(RUN) pytest -q -n 0 tests/unit/wings/test_cluster*.py tests/unit/wings/test_parameter_server.py tests/unit/wings/test_collectives.py tests/unit/wings/test_multi_worker.py || exit 1; done

cluster-schedules: setup ## run COUNT random programs of three clients on a cluster, from SEED on, against a serial run
	@$(RUN) nice -n 5 env PYTHONPATH=.:python python -m tests.cluster_schedules --count $${COUNT:-1000} $${SEED:+--seed $$SEED}

docs: setup ## compute the reference pages, the stubs and R's verbs from the op table
	@$(RUN) python tools/make_docs.py
	@$(RUN) python tools/make_r_verbs.py
	@$(RUN) python tools/make_stubs.py

oracle: setup ## record the goldens anew, with the Python (TF_PYTHON) that has TensorFlow
	@$(RUN) "$${TF_PYTHON:-python3}" tests/golden/record.py

oracle-fuzz: setup ## run COUNT random programs from SEED on here and on TensorFlow (TF_PYTHON), and shorten those that differ
	@$(RUN) nice -n 5 python -m tests.fuzz.oracle --seed $${SEED:-1} --count $${COUNT:-1000} $${FUZZ:-}

oracle-examples: setup ## run the examples of TensorFlow's docstrings (NAMES: those of names) here and on TensorFlow (TF_PYTHON)
	@mkdir -p build/examples && $(RUN) "$${TF_PYTHON:-python3}" tools/oracle_examples.py collect build/examples/all.json
	@$(RUN) "$${TF_PYTHON:-python3}" tools/oracle_examples.py run build/examples/all.json build/examples/theirs.json "$(NAMES)"
	@$(RUN) python -m twinflow.run tools/oracle_examples.py run build/examples/all.json build/examples/ours.json "$(NAMES)"
	@$(RUN) python tools/oracle_examples.py compare build/examples/all.json build/examples/theirs.json build/examples/ours.json

oracle-files: setup ## write checkpoints, and have TensorFlow (TF_PYTHON) restore and compare all of them
	@rm -rf build/exchange && $(RUN) env PYTHONPATH=. python tests/golden/exchange.py write build/exchange
	@$(RUN) env TF_CPP_MIN_LOG_LEVEL=3 "$${TF_PYTHON:-python3}" tests/golden/exchange.py verify build/exchange
	@$(RUN) env PYTHONPATH=. python tests/golden/exchange_objects.py write twinflow build/exchange/ours
	@$(RUN) env TF_CPP_MIN_LOG_LEVEL=3 "$${TF_PYTHON:-python3}" tests/golden/exchange_objects.py verify tensorflow build/exchange/ours
	@$(RUN) env TF_CPP_MIN_LOG_LEVEL=3 "$${TF_PYTHON:-python3}" tests/golden/exchange_objects.py write tensorflow build/exchange/theirs
	@$(RUN) env PYTHONPATH=. python tests/golden/exchange_objects.py verify twinflow build/exchange/theirs

test-exchange: setup ## SavedModels that TensorFlow (TF_PYTHON) writes and we load, and the other way round
	@rm -rf build/exchange/models && mkdir -p build/exchange
	@$(RUN) python tests/golden/exchange_models.py write twinflow build/exchange/models/ours
	@$(RUN) env CUDA_VISIBLE_DEVICES= "$${TF_PYTHON:-python3}" tests/golden/exchange_models.py check tensorflow build/exchange/models/ours
	@$(RUN) env CUDA_VISIBLE_DEVICES= "$${TF_PYTHON:-python3}" tests/golden/exchange_models.py write tensorflow build/exchange/models/theirs
	@$(RUN) python tests/golden/exchange_models.py check twinflow build/exchange/models/theirs

clean: ## remove all that make made: .venv, .rlib, build, caches
	@rm -rf .venv .rlib build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	@find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "clean"
