import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const HEADING = '## A tour with curl';

/** A command of the README and the output shown below it. */
export interface Step {
  command: string;
  answer: string;
}

/** Returns the `bash` blocks of the tour, each with the `json` block that follows it. */
export function readTour(): Step[] {
  const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8');
  const begin = readme.indexOf(`${HEADING}\n`);
  const tour = readme.slice(begin, readme.indexOf('\n## ', begin + 1));
  const found = [...tour.matchAll(/```bash\n([\s\S]*?)\n```\n\n```json\n([\s\S]*?)\n```/g)];
  const blocks = tour.match(/```bash\n/g) ?? [];
  if (found.length === 0 || found.length !== blocks.length) {
    throw new Error(`each bash block under "${HEADING}" must be followed by the json block of its answer`);
  }
  return found.map(([, command = '', answer = '']) => ({ command, answer }));
}

/** Runs a command of the tour in a folder, which keeps the cookies. */
export function runStep(command: string, cwd: string, variables: { URL: string; ADMIN_PASSWORD: string }) {
  const env = { PATH: process.env.PATH, ...variables };
  return promisify(execFile)('bash', ['--norc', '-euc', command], { cwd, env });
}

/**
 * Parses a text of one JSON document per line. Replaces values that differ between runs (ids,
 * times, passwords) by placeholders if they have the expected form.
 */
export function answersIn(text: string): unknown[] {
  const forms: [RegExp, string][] = [
    [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<id>'],
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
    [/(?<="password":")[A-Za-z0-9_-]{32}(?=")/g, '<password>'],
  ];
  const normalized = forms.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text);
  return normalized
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
