import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { environment, loadConfig, SETTINGS } from '../../src/platform/core/config.ts';

const operations = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8');
const [, table = ''] = /^## Configuration$(.*?)^## /ms.exec(operations) ?? [];
const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+) \|$/gm)].map(
  ([, name = '', documented = '', meaning = '']) => ({ name, documented, meaning }),
);
const variables: Record<string, z.ZodType> = environment.shape;
const defaults: Record<string, unknown> = environment.parse({});

describe('the table of docs/operations.md, "Configuration"', () => {
  it('has each variable once, and no other', () => {
    // PATH belongs to the operating system.
    const expected = Object.keys(variables).filter((name) => name !== 'PATH');
    expect(rows.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  it.each(rows)('has the default of $name', ({ name, documented }) => {
    const [, production, other] = /^`(\S+)` in production, else `(\S+)`$/.exec(documented) ?? [];
    const [, value] = /^`(\S+)`$/.exec(documented) ?? [];
    if (production !== undefined) {
      const env = { NODE_ENV: 'production', SESSION_SECRET: 'a secret of the configuration table' };
      expect(loadConfig({ ...env, [name]: production })).toEqual(loadConfig(env));
      expect(loadConfig({ [name]: other })).toEqual(loadConfig({}));
    } else if (value !== undefined) {
      expect(variables[name]?.parse(value)).toEqual(defaults[name]);
    } else {
      expect(documented).toMatch(/^(?:none|unset)/);
      expect(defaults[name] ?? []).toEqual([]);
    }
  });

  it.each(rows.filter(({ meaning }) => / from `/.test(meaning)))('has the range of $name', ({ name, meaning }) => {
    const [, low = '', high = ''] = /from `(\w+)` to `(\w+)`/.exec(meaning) ?? [];
    const isValid = (text: string) => variables[name]?.safeParse(text).success;
    const next = (text: string, step: number) => text.replace(/\d+/, (digits) => String(Number(digits) + step));
    expect([low, high].map(isValid)).toEqual([true, true]);
    expect([next(low, -1), next(high, 1)].map(isValid)).toEqual([false, false]);
  });
});

describe('the help of `serve`', () => {
  it.each(SETTINGS)('has the default of $name', ({ name, help, standard }) => {
    const documented = rows.find((row) => row.name === name)?.documented ?? '';
    if (standard === undefined) expect(documented).not.toMatch(/^`\S+`$/);
    else expect(documented).toBe(`\`${standard}\``);
    if (documented.startsWith('unset: ')) expect(help).toMatch(/without it|set together/);
  });
});
