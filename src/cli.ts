#!/usr/bin/env node
import { runTool } from './cli/tool.ts';

process.exitCode = await runTool(process.argv.slice(2), process, process.env);
