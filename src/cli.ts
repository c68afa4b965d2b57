#!/usr/bin/env node
import { runTool } from './cli/tool.ts';
import { surviveLostTerminals } from './core/terminals.ts';

surviveLostTerminals();
process.exitCode = await runTool(process.argv.slice(2), process, process.env);
