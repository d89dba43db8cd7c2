#!/usr/bin/env bash
# The step of action.yml that runs the suite. Inputs are in SUITE_… variables, credentials in their own (API_KEY …).
set -euo pipefail

arguments=(--url "$SUITE_URL" --profile "$SUITE_PROFILE" --depth "$SUITE_DEPTH" --report "$SUITE_REPORT")
if [ "$SUITE_COMPLETE" = true ]; then arguments+=(--complete); fi
if [ -n "$SUITE_SEED" ]; then arguments+=(--seed "$SUITE_SEED"); fi

exec npx --yes --package "$SUITE_PACKAGE" namjai-conformance "${arguments[@]}"
