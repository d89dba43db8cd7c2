# `make help` lists the targets. Everything runs on node_modules/.bin/node: the machine's own Node from 24 on, or else one that deploy/node/ brings.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
export REDOCLY_TELEMETRY := off
# Programs and servers that are started a hundred times are compiled once.
export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/compiled

# RESULTS=prefix writes vitest's JSON results to prefix-unit.json, prefix-conformance.json and the like.
reporters = $(if $(RESULTS),--reporter=default --reporter=json --outputFile.json=$(RESULTS)-$(1).json)

# Tests wait for their database, for processes and for deadlines: on a small machine one worker more than cores keeps these busy.
workers := $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n > 3 ? n - 1 : n + 1)))

# Temporary files of tests, their databases among them, are in memory where it has 4 GB for them: commits do not wait for the disk.
in_memory := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $$4 }')" -gt 4000000 ] 2>/dev/null && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
unit slow-units conformance selftest slow-selftests mutants browser test: export TMPDIR := $(or $(TMPDIR),$(in_memory),/tmp)

temporary-folder:
	@echo $(or $(TMPDIR),$(in_memory),/tmp)

node_modules/.package-lock.json: package-lock.json
	@$(if_linked) else \
	  echo "Installing every package (440 MB, and 190 MB more where this machine has no Node 24; about a minute) …"; \
	  npm ci --no-audit --no-fund --loglevel=error || { rm -f $@; exit 1; }; \
	  touch $@; \
	fi

# npm ci would delete the packages of the checkout that a link leads to. They are used where they are those of this package-lock.json.
if_linked = if [ -L node_modules ]; then \
  if ! cmp -s package-lock.json node_modules/../package-lock.json || [ node_modules/../package-lock.json -nt node_modules/.package-lock.json ]; then \
    echo "node_modules is a link to $$(readlink -f node_modules), which lacks packages of this checkout's package-lock.json. Nothing is installed there: it belongs to another checkout. Run make install there where both have the same package-lock.json, or here after rm node_modules."; exit 1; \
  fi;

# What serving needs, where nothing is installed. A whole install serves as well, and stays whole: it alone has npm's .package-lock.json.
serving:
	@if [ -e node_modules/.package-lock.json ]; then $(MAKE) --no-print-directory install; \
	elif [ ! node_modules/.serving -nt package-lock.json ]; then \
	  $(if_linked) fi; \
	  echo "Installing what serving needs (140 MB, and 190 MB more where this machine has no Node 24) …"; \
	  npm ci --omit=dev --no-audit --no-fund --loglevel=error; \
	  rm -f node_modules/.package-lock.json; touch node_modules/.serving; \
	fi

.PHONY: temporary-folder backup restore verify help install serving start dev demo psql bench bench-reports performance pages generate release breaking check house drift unit slow-units conformance package package-client selftest foreign clients mutants attack browser faults event-faults conformance-pooled conformance-standby conformance-citus rehearse-citus rehearse-failover rehearse-pooler rehearse-upgrade screenshots pictures test slow-selftests format

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

install: node_modules/.package-lock.json ## Install what package-lock.json names

start: serving ## Serve in the foreground, with a demo streamer and a curl line to try
	@exec node --max-semi-space-size=16 src/main.ts --demo  # V8 would let short-lived data take 100 MB more during an export

dev: serving ## Serve as make start does, and restart when a file that it has loaded changes
	@[ ! -e node_modules/esbuild ] || node spec/check/bundle-pages.ts
	@node --watch --watch-preserve-output src/main.ts --demo

demo: serving ## Fill the demo streamer with a year of donations; AGAIN=1 adds another, SEED=n chooses it
	@node src/ops/demo/fill-year.ts $(if $(SEED),--seed $(SEED)) $(if $(AGAIN),--again)

backup: serving ## writes database and journal of erasures into FILE=…
	@node src/cli.ts database backup "$(FILE)"

restore: serving ## loads the backup FILE=… into an empty database (DATA_DIR or DATABASE_URL)
	@node src/cli.ts database restore "$(FILE)"

verify: serving ## compares roll-ups, alerts and search with the donations
	@node src/cli.ts database verify

psql: serving ## PostgreSQL's shell on the database of DATABASE_URL or DATA_DIR; SQL="select 1" runs one statement
	@node src/ops/process/psql.ts $(if $(SQL),-c "$$SQL")

bench: bench-reports ## What it costs, printed and kept in bench-results/; PARTS=reports ROWS=300000 for a quick one

bench-reports: install
	@node conformance/meta/bench/main.ts

performance: install ## Write what make bench has left in bench-results/ into the tables of docs/performance.md
	@node conformance/meta/bench/performance-page.ts

pages: install ## Bundle scripts and style sheets of overlay and widgets into generated/overlay/
	@node spec/check/bundle-pages.ts

generate: install ## Compile spec/ into generated/ (OpenAPI and TypeScript types), and copy the program of the API reference there
	tsp format "spec/**/*.tsp" > /dev/null
	tsp compile spec/main.tsp --warn-as-error
	openapi-typescript generated/openapi.json --output generated/api.d.ts --default-non-nullable false
	@node spec/check/copy-scalar.ts generated
	@node spec/check/breaking/main.ts

release: generate ## Note contract, migrations and answers as released: from now on changes are compared with them
	@node spec/check/release.ts
	cp generated/openapi.json spec/released.json
	@node src/ops/upgrade/note.ts

breaking: install ## Name what would break for clients of the released contract (spec/released.json)
	@node spec/check/breaking/main.ts

check: install ## Types, drift of generated/, breaking changes, lint, format: only what changed is looked at anew
	@node spec/check/check.ts

house: install ## How many files each room of src/ has, how long they are, and how they hang together
	@node spec/check/house.ts

drift: install ## Fail when generated/ is not what spec/ compiles to
	@node spec/check/drift.ts && node spec/check/bundle-pages.ts --check && node spec/check/git-files.ts

# They start the server, its command line, or a PostgreSQL of their own again and again: a quarter of the CPU of all tests beside the files.
slow_units = db/embedded db/embedded-accidents ops/process/start ops/process/metrics ops/process/worker-pool ops/process/json-output \
  ops/process/full-disk ops/process/psql ops/backup/restore-backup ops/backup/restore-drill ops/upgrade/sample ops/upgrade/upgrade \
  cli/database cli/audit cli/imports speech/espeak-speaker

unit: install ## Tests beside the pure files of src/; FILES=src/donations runs those below it
	vitest run --config src/vitest.config.ts --maxWorkers $(workers) $(call reporters,unit) $(FILES) $(if $(EXCEPT_SLOW),$(slow_units:%=--exclude '**/%.test.ts'))

slow-units: install ## The tests beside the files that make test leaves out, because they start processes of their own
	vitest run --config src/vitest.config.ts --maxWorkers $(workers) $(call reporters,unit) $(slow_units:%=src/%.test.ts)

conformance: install ## The black-box suite; URL=… API_KEY=… runs it against a server of yours, PROFILE=interface, DEPTH=quick or standard, ONLY=…, SEED=…, OAUTH_CREDENTIALS=file, MAY_DISTURB_ALERTS=1, RECEIVER_URL=…, STATE=folder, CORPUS=folder; conformance/README.md has all
	@node conformance/main.ts $(if $(URL),--url "$$URL") $(if $(PROFILE),--profile "$$PROFILE") $(if $(DEPTH),--depth "$$DEPTH") $(if $(LENGTH_UNIT),--length-unit "$$LENGTH_UNIT") \
	  $(if $(SEED),--seed "$$SEED") $(if $(value ONLY),--only '$(subst ','\'',$(value ONLY))') $(if $(CHANGED_SINCE),--changed-since "$$CHANGED_SINCE") $(if $(REPORT),--report "$$REPORT") $(if $(HAR),--har) $(if $(HAR_MEGABYTES),--har-megabytes "$$HAR_MEGABYTES") $(if $(SHARD),--shard "$$SHARD") \
	  $(if $(READ_ONLY),--read-only) $(if $(MAY_DISTURB_ALERTS),--may-disturb-alerts) $(if $(RECEIVER_URL),--receiver-url "$$RECEIVER_URL") $(if $(RECEIVER_PORT),--receiver-port "$$RECEIVER_PORT") $(if $(OAUTH_CREDENTIALS),--oauth-credentials "$$OAUTH_CREDENTIALS") $(if $(OAUTH_LOGIN_COMMAND),--oauth-login-command "$$OAUTH_LOGIN_COMMAND") $(if $(STATE),--state "$$STATE") \
  $(if $(CORPUS),--corpus "$$CORPUS") $(if $(NO_CORPUS),--no-corpus) $(if $(COMPLETE),--complete) $(if $(BASELINE),--baseline "$$BASELINE") $(if $(BASELINE_UPDATE),--baseline-update) $(if $(WATCH),--watch) $(if $(MINUTES),--minutes "$$MINUTES") $(if $(QUICK_SECONDS),--seconds "$$QUICK_SECONDS") $(if $(SERVERS),--servers "$$SERVERS") $(if $(RESULTS),--json "$$RESULTS-conformance.json")

package: install ## The suite as an npm package, in the folder namjai-conformance: one file that needs nothing but Node 20
	@node conformance/package/build.ts

package-client: install ## The TypeScript client as an npm package, in the folder namjai-donations
	@node spec/check/package-client.ts

# They start the suite's command on servers made for them, copy the project, run the commands of all pages for operators, start proxies or a
# PostgreSQL of their own, or try the suite's receiver and the checks of `make check`, for which they compile the contract dozens of times.
slow_selftests = recipes operations-commands reverse-proxies deploy install contract-rules deprecation breaking mutants-command $(patsubst conformance/meta/selftest/%.test.ts,%,$(shell grep -l '"./command.ts"' conformance/meta/selftest/*.test.ts))

selftest: install ## The suite's own tests: does it tell a broken server from a sound one?
	vitest run --config conformance/meta/selftest/vitest.config.ts --maxWorkers $(workers) $(call reporters,selftest) $(if $(EXCEPT_SLOW),$(slow_selftests:%=--exclude '**/%.test.ts'))

slow-selftests: install ## The self-tests that make test leaves out: of the suite's command, of the checks of make check, of the recipes, of the pages for operators
	vitest run --config conformance/meta/selftest/vitest.config.ts --maxWorkers $(workers) $(call reporters,slow-selftest) $(slow_selftests)

foreign: install ## Profile interface against a second server, clean and with each of its bugs
	node conformance/meta/second-server/main.ts check

clients = conformance/meta/clients

$(clients)/node_modules/.package-lock.json: $(clients)/package-lock.json
	@npm ci --prefix $(clients) --ignore-scripts --no-audit --no-fund --loglevel=error; touch $@

clients: install $(clients)/node_modules/.package-lock.json ## Generated clients, login libraries, assistants, Prism, the stories of Arazzo and OWASP's rules on a started server; writes docs/clients.md. ONLY=kubb tries one
	@ONLY="$(ONLY)" node $(clients)/main.ts

mutants: install ## Servers with one thing broken each: which rules of the suite notice? MUTANTS="leap-1900 stale" or AREA=oauth, SEED=…, SEEDS=5, FULL=1 for every rule, AT_ONCE=…, URL=… API_KEY=… in front of a server of yours, PROFILE=interface
	@node conformance/meta/mutants/main.ts $(if $(FULL),--full) $(if $(SEED),--seed $(SEED)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(AREA),--area "$$AREA") \
	  $(if $(AT_ONCE),--at-once $(AT_ONCE)) $(if $(URL),--url "$$URL") $(if $(PROFILE),--profile "$$PROFILE") $(MUTANTS)

attack: install ## Attacks against a server started for them on loopback; ONLY=malformed-requests, SCALE=small, NODE_OPTIONS=--max-old-space-size=512
	@ONLY="$(ONLY)" node conformance/attack/main.ts

browser: pages ## The pages in a real Chromium (CHROMIUM=… names its program, SCREENSHOTS=1 keeps pictures)
	vitest run --config conformance/meta/browser/vitest.config.ts $(call reporters,browser)

faults: install ## Alerts in Chromium while pages, connections, server and database fail at random; DONATIONS=500
	DONATIONS=$(or $(DONATIONS),48) vitest run --config conformance/meta/browser/vitest.config.ts

event-faults: install ## Subscribers of events that are cut at random while server and database are killed: does one miss anything? CUTS=10000, PROCESSES=2; KILLS=50 kills processes in the middle of deliveries
	@node conformance/meta/rehearsals/main.ts events

rehearse-upgrade: install ## This version and a later one, of a sample migration, on one database under load: forward, back, kills; FROM=commit rehearses from there to this version, SECONDS=5
	@node conformance/meta/rehearsals/upgrade.ts

conformance-pooled: install ## The suite against a server behind PgBouncer in transaction mode; ONLY=…, DEPTH=full
	@node conformance/meta/rehearsals/suite.ts pooled

conformance-standby: install ## The suite against a server that reads from a standby; ONLY=…, DEPTH=full, SERVERS=1 on a small machine
	@node conformance/meta/rehearsals/suite.ts standby

conformance-citus: install ## The suite against a server whose database Citus distributes over three PostgreSQL; ONLY=…, DEPTH=full
	@node conformance/meta/rehearsals/suite.ts citus

rehearse-pooler: install ## Two servers behind PgBouncer while connections, PostgreSQL and PgBouncer are killed: what is lost or doubled? KILLS=20
	@node conformance/meta/rehearsals/main.ts pooler

rehearse-citus: install ## Which statements ask several shards of Citus? Then two servers while workers are killed, one is frozen, the coordinator is killed, a worker is added, and all machines are restored from backups: what is lost, doubled, refused? KILLS=10; SPEED=1 measures donations a second on 1, 2 and 3 workers
	@node conformance/meta/rehearsals/main.ts statements
	@node conformance/meta/rehearsals/main.ts citus
	@if [ -n "$(SPEED)" ]; then node conformance/meta/rehearsals/citus-speed.ts; fi

rehearse-failover: install ## Two servers and two PostgreSQL under Patroni while the primary is killed, or hangs, and while networks are cut: what is lost or doubled, how long? KILLS=20, CUTS=12 (0 for none)
	@$(if $(filter 0,$(KILLS)),,node conformance/meta/rehearsals/failover.ts)
	@$(if $(filter 0,$(CUTS)),,node conformance/meta/rehearsals/failover.ts cuts)

screenshots: install ## The README's pictures of an alert and of the studio, taken in Chromium; emoji need a font, such as Debian's fonts-noto-color-emoji
	README_PICTURES=1 vitest run --config conformance/meta/browser/vitest.config.ts readme-picture

pictures: install ## Pictures of every page of the studio, compared with those of the last time
	PICTURES=1 vitest run --config conformance/meta/browser/vitest.config.ts

test: install ## make check, unit tests, suite and self-tests; DEPTH=full adds slow self-tests, and tests and rules that start servers of their own. It leaves out browser, foreign, clients, mutants, attack, faults, event-faults, bench and all rehearsals
# Suite and unit tests wait for processes and deadlines for a good part of their time: two beside each other keep all cores busy.
	@echo "Suite, unit tests, self-tests and make check run two at a time; each prints its output at its end …"
	@folder=$$(mktemp -d "$$TMPDIR/namjai-test-XXXXXX"); chmod 755 "$$folder"; trap 'rm -rf "$$folder"' EXIT; \
	status=0; TMPDIR=$$folder $(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going conformance unit selftest check \
	  DEPTH=$(or $(DEPTH),standard) $(if $(filter full,$(DEPTH)),,EXCEPT_SLOW=1) || status=$$?; \
	.ci/left-behind "$$folder" || status=1; exit $$status

format: install ## Format spec/, src/ and conformance/
	tsp format "spec/**/*.tsp"
	biome check --write
