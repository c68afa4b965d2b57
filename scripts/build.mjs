// Builds `server` (src/ and openapi.json to dist/), `dashboard` (web/ to dist/web/), `client`
// (web/client/ to dist/client/) and `docs` (the Markdown of docs/ to dist/docs/, and llms.txt) at
// the same time, or those that the arguments name. Checks no types of the server and the dashboard:
// `npm run types` does.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const compile = (...project) => [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join(...project)];
const bundle = (...config) => [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', '-c', join(...config)];
const PROGRAMS = {
  server: [compile('tsconfig.build.json')],
  dashboard: [bundle('web', 'vite.config.ts')],
  client: [bundle('web', 'client', 'vite.config.ts'), compile('web', 'client', 'tsconfig.json')],
  docs: [],
};

const parts = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PROGRAMS);
const codes = await Promise.all(parts.flatMap((part) => PROGRAMS[part]).map(run));
if (parts.includes('server')) {
  removeStale();
  // The service serves it. Without white space, because it is sent as it is.
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  writeFileSync(join(root, 'dist', 'openapi.json'), JSON.stringify(document));
  const texts = join('platform', 'languages', 'texts');
  rmSync(join(root, 'dist', texts), { recursive: true, force: true });
  cpSync(join(root, 'src', texts), join(root, 'dist', texts), { recursive: true });
}
if (parts.includes('docs')) buildDocs();
process.exitCode = Math.max(0, ...codes);

/** Resolves with the exit code of a program of Node.js, 1 if a signal ended it. */
function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1));
  });
}

/** Removes the modules of sources that no longer exist: the package would contain them. */
function removeStale() {
  const sources = new Set(readdirSync(join(root, 'src'), { recursive: true }));
  for (const name of readdirSync(join(root, 'dist'), { recursive: true })) {
    const [, path] = /^(.+)\.js(?:\.map)?$/.exec(name) ?? [];
    const isOfWeb = name.startsWith(`web${sep}`) || name.startsWith(`client${sep}`);
    if (path && !isOfWeb && !sources.has(`${path}.ts`)) rmSync(join(root, 'dist', name));
  }
}

/** Replaces the links of a page to what is no page, such as a source file, by their texts. */
function withPagesOnly(text, name, pages) {
  return text.replace(/!?\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label, target) => {
    const isPage = /^(?:#|https?:)/.test(target) || pages.includes(posix.join(dirname(name), target.split('#')[0]));
    return isPage ? link : label;
  });
}

/**
 * Copies the pages of docs/ and lists them in llms.txt (https://llmstxt.org), by which programs
 * find them.
 */
function buildDocs() {
  const target = join(root, 'dist', 'docs');
  rmSync(target, { recursive: true, force: true });
  const pages = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => name.endsWith('.md'))
    .sort();
  const line = (name) => {
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, 'docs', name), 'utf8'));
    return `- [${title}](/docs/${name})\n`;
  };
  for (const name of pages) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    const text = readFileSync(join(root, 'docs', name), 'utf8');
    writeFileSync(join(target, name), withPagesOnly(text, name, pages));
  }
  const list = (folder) =>
    pages
      .filter((name) => dirname(name) === folder)
      .map(line)
      .join('');
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const parts = [
    `# User Collection Service\n\n> ${description}\n\nThe OpenAPI document is at /openapi.json.\n`,
    `## Specification of the HTTP interface\n\n${list('specification')}`,
    `## Use and operation\n\n${list('.')}`,
    `## Optional\n\nWhy the service is as it is.\n\n${list('decisions')}`,
  ];
  writeFileSync(join(root, 'dist', 'llms.txt'), parts.join('\n'));
}
