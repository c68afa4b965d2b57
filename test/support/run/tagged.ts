import { readdirSync, readFileSync } from 'node:fs';

/** The tags of tests. `npm test` runs the tests without the tag `long`. */
export const TAGS = [
  { name: 'long', description: '`npm run test:all`: takes over a second, or depends on how busy the machine is' },
  { name: 'fault', description: '`npm run test:faults`, with more rounds' },
];

/**
 * Returns the test files in which every test has a tag: `// @module-tag long` at their beginning.
 * A run that needs others does not load them.
 */
export function filesTagged(tag: string): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => tagsOf(path).includes(tag));
}

function tagsOf(path: string): string[] {
  const [head = ''] = readFileSync(path, 'utf8').split('\n\n', 1);
  return [...head.matchAll(/^\/\/ @module-tag (\S+)$/gm)].map(([, tag = '']) => tag);
}
