#!/usr/bin/env node
import { runTool } from './operations/cli/tool.ts';
import { surviveLostTerminals } from './platform/core/terminals.ts';

surviveLostTerminals();
process.exitCode = await runTool(process.argv.slice(2), process, process.env);
