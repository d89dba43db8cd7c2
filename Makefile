# `make help` lists the targets. Everything runs on the Node of node_modules (package "node"), whatever the machine's own is.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: help install start generate
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

install: node_modules/.package-lock.json ## Install what package-lock.json names

generate: install ## Compile spec/ into generated/
	tsp format "spec/**/*.tsp" > /dev/null
	tsp compile spec/main.tsp --warn-as-error
	openapi-typescript generated/openapi.json --output generated/api.d.ts --default-non-nullable false
