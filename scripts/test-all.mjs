// npm run test:all: the tests that `npm test` leaves out. A test that fails runs again alone, once,
// at the end; if it passes then, it is printed under `Flaky:`. `--summary=FILE` writes the counts,
// as the JSON reporter of vitest names them. Passes other arguments to vitest.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build, install, root, say, VITEST } from './setup.mjs';

/** With more failures the code is at fault, or the machine. */
const MOST_RETRIED = 10;

const SUMMARY = '--summary=';
const summary = process.argv.find((arg) => arg.startsWith(SUMMARY))?.slice(SUMMARY.length);
const args = process.argv.slice(2).filter((arg) => !arg.startsWith(SUMMARY));

install();
build();
const folder = mkdtempSync(join(tmpdir(), 'user-collection-tests-'));
try {
  const whole = runTests('all', ['--project=long', '--project=measured', ...args]);
  const failures = whole.status === 0 ? [] : failuresOf(whole.report);
  // Without a failed test the run itself failed, for example by an error outside of all tests.
  const isRetried = failures.length > 0 && failures.length <= MOST_RETRIED;
  const left = isRetried ? failures.filter((failure, index) => !passesAlone(failure, index)) : failures;
  if (isRetried) {
    list(
      'Flaky',
      failures.filter((failure) => !left.includes(failure)),
    );
  }
  list('Failed', left);
  const failed = left.length || (whole.status === 0 || isRetried ? 0 : 1);
  const passed = (whole.report?.numPassedTests ?? 0) + failures.length - left.length;
  if (summary) writeFileSync(summary, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs vitest; the report is undefined if it did not end. */
function runTests(name, given) {
  const file = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=./test/support/slowest-files.ts', '--reporter=json'];
  const { status } = spawnSync(process.execPath, [VITEST, 'run', ...reporters, `--outputFile.json=${file}`, ...given], {
    cwd: root,
    stdio: 'inherit',
  });
  return { status, report: parse(file) };
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The failed tests, and the files that failed outside of their tests, without a name of a test. */
function failuresOf(report) {
  return (report?.testResults ?? []).flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [{ file }];
    return failed.map(({ fullName }) => ({ file, test: fullName }));
  });
}

function passesAlone({ file, test }, index) {
  const only = test ? ['--testNamePattern', `^${escaped(test)}$`] : [];
  const { status, report } = runTests(`again-${index}`, [file, '--maxWorkers=1', ...only]);
  return status === 0 && report?.numPassedTests > 0;
}

function list(title, failures) {
  if (failures.length === 0) return;
  say(`\n${title}:\n${failures.map(({ file, test = '(outside of its tests)' }) => `    ${file}: ${test}`).join('\n')}`);
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
