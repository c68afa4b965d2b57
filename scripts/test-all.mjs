// npm run test:all: the tests that `npm test` leaves out. The files of failed tests run again at
// the end, once, one after another; a test that passes then is printed under `Flaky:`.
// `--summary=FILE` writes the counts, as the JSON reporter of vitest names them. Passes other
// arguments to vitest.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build, install, root, say, VITEST } from './setup.mjs';

/** With more files the code is at fault, or the machine. */
const MOST_REPEATED = 10;

const SUMMARY = '--summary=';
const summary = process.argv.find((arg) => arg.startsWith(SUMMARY))?.slice(SUMMARY.length);
const args = process.argv.slice(2).filter((arg) => !arg.startsWith(SUMMARY));

install();
build();
const folder = mkdtempSync(join(tmpdir(), 'user-collection-tests-'));
try {
  const whole = runTests('whole', ['--tags-filter=long', ...args]);
  const files = [...new Set(whole.failures.map(({ file }) => file))];
  const isRepeated = files.length > 0 && files.length <= MOST_REPEATED;
  const repeated = isRepeated ? runTests('again', ['--tags-filter=long', '--maxWorkers=1', ...files]) : whole;
  const flaky = whole.failures.filter((one) => !repeated.failures.some((other) => isSame(one, other)));
  list('Flaky', flaky);
  list('Failed', repeated.failures);
  // An error outside of all tests fails a run without a failed test.
  const failed = repeated.failures.length || (repeated.status === 0 ? 0 : 1);
  if (summary) {
    const passed = whole.passed + whole.failures.length - repeated.failures.length;
    writeFileSync(summary, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
  }
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs vitest. A file that fails outside of its tests is a failure without the name of a test. */
function runTests(name, given) {
  const output = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=./test/support/run/slow-tests.ts', '--reporter=json'];
  const command = [VITEST, 'run', ...reporters, `--outputFile.json=${output}`, ...given];
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  const { numPassedTests: passed = 0, testResults = [] } = parse(output) ?? {};
  const failures = testResults.flatMap(({ name: path, status: result, assertionResults }) => {
    const file = relative(root, path);
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0 && result === 'failed') return [{ file }];
    return failed.map(({ fullName }) => ({ file, test: fullName }));
  });
  return { status, passed, failures };
}

/** The report; undefined if vitest did not end. */
function parse(output) {
  try {
    return JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    return undefined;
  }
}

function isSame(one, other) {
  return one.file === other.file && one.test === other.test;
}

function list(title, failures) {
  if (failures.length === 0) return;
  const lines = failures.map(({ file, test = '(outside of its tests)' }) => `    ${file}: ${test}`);
  say(`\n${title}:\n${lines.join('\n')}`);
}
