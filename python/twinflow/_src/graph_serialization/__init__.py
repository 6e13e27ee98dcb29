"""Serialization of graphs: conversion to and from TensorFlow's protocol buffers."""
