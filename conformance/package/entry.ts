#!/usr/bin/env node
import "./map-group-by.ts";
import "../main.ts";

// The package's program: the same command as in the project, which runs on Node 20 as well.
