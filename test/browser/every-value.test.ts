// @module-tag long

import fc from 'fast-check';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/core/fields/compile.ts';
import { completeDefinition, FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { FIELD_KINDS } from '../../src/core/fields/kinds/registry.ts';
import { closeBrowser, openPage } from '../support/browser/browser.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(closeBrowser);

const ROUNDS = 4;

/**
 * A field, its valid values, and how a person enters one in its control. `undefined`: no answer.
 */
interface Case {
  field: Record<string, unknown>;
  values: fc.Arbitrary<unknown>;
  enter(control: Locator, value: never): Promise<void>;
  /** The stored value of another form. */
  stored?(value: never): unknown;
}

/** Replaces the text of a control as a keyboard or a paste does: `maxlength` cuts it. */
async function type(control: Locator, text: string): Promise<void> {
  await control.press('ControlOrMeta+a');
  await control.page().keyboard.insertText(text);
}

let isDayFirst: boolean | undefined;

/** Types a date in the order that the language of the browser has. */
async function typeDate(control: Locator, date: string): Promise<void> {
  if (isDayFirst === undefined) {
    await control.pressSequentially('02031999');
    isDayFirst = (await control.inputValue()) === '1999-03-02';
    await control.fill('');
    // With the focus again, the first part of the date has it.
    await control.blur();
  }
  const [year, month, day] = date.split('-');
  await control.pressSequentially(`${isDayFirst ? `${day}${month}` : `${month}${day}`}${year}`);
}

const boxes = (control: Locator): Locator =>
  control.locator('xpath=ancestor::fieldset').locator('input:not([type=hidden])');

const CHOICES = ['us', 'US', 'two\nlines', 'two\r\nand more', ' spaces ', 'a;b', '"<&>', 'data[x]', '👍'];

async function choose(control: Locator, value: string | undefined): Promise<void> {
  await boxes(control).first().check();
  await boxes(control)
    .nth(value === undefined ? CHOICES.length : CHOICES.indexOf(value))
    .check();
}

async function tick(control: Locator, values: readonly string[]): Promise<void> {
  for (const value of values) await boxes(control).nth(CHOICES.indexOf(value)).check();
}

const text = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.constantFrom('👍'.repeat(max), 'a'.repeat(max), '👩‍👧'.slice(0, 2).repeat(min)),
      fc.string({ unit: 'binary', minLength: min, maxLength: max }),
    )
    .map((one) => one.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '-'));
const lines = fc.array(text(1, 8), { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'));
const numbers = (from: number, to: number) =>
  fc
    .oneof(
      fc.integer({ min: Math.max(from, -1e6), max: Math.min(to, 1e6) }),
      fc.double({ min: from, max: to, noNaN: true }),
    )
    .map((value) => value + 0);
const days = (from: string, to: string) =>
  fc
    .oneof(fc.constantFrom(from, to), fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }))
    .map((date) => (typeof date === 'string' ? date : date.toISOString().slice(0, 10)));
const listOf = (min: number, max: number) => fc.subarray(CHOICES, { minLength: min, maxLength: max });

const NUMBER = {
  values: numbers(-1e300, 1e300),
  enter: (control: Locator, value: number) => type(control, String(value)),
};

const CASES: Case[] = [
  { field: { kind: 'text' }, values: text(1, 20), enter: type },
  { field: { kind: 'text', required: true, minLength: 2, maxLength: 5 }, values: text(2, 5), enter: type },
  { field: { kind: 'text', ui: 'textarea', maxLength: 26 }, values: lines, enter: type },
  { field: { kind: 'text', ui: 'tel', maxLength: 3 }, values: text(1, 3), enter: type },
  { field: { kind: 'text', ui: 'email' }, values: fc.emailAddress(), enter: type },
  { field: { kind: 'text', ui: 'url' }, values: fc.webUrl(), enter: type },
  { field: { kind: 'text', regex: '^[A-Z]{2}-[0-9]+$' }, values: fc.stringMatching(/^[A-Z]{2}-[0-9]+$/), enter: type },
  { field: { kind: 'number' }, ...NUMBER },
  { field: { kind: 'number', min: -5, max: 5 }, ...NUMBER, values: numbers(-5, 5) },
  { field: { kind: 'number', min: 0, max: 1e9 }, ...NUMBER, values: numbers(0, 1e9) },
  {
    field: { kind: 'text', ui: 'time' },
    values: fc.constantFrom('00:00', '08:30', '23:59'),
    // A person types it as the locale of the browser writes times.
    enter: (control, value) => control.fill(value),
  },
  { field: { kind: 'date' }, values: days('1000-01-01', '9999-12-31'), enter: typeDate },
  { field: { kind: 'date', earliest: '0001-01-01' }, values: days('0001-01-01', '9999-12-31'), enter: typeDate },
  {
    field: { kind: 'date', earliest: '1900-02-28', latest: 'today' },
    values: days('1900-02-28', '2026-01-31'),
    enter: typeDate,
  },
  {
    field: { kind: 'date', default: '2026-01-31T08:30:00Z' },
    values: fc.constantFrom('1985-11-28T23:59:59.123456+05:30', '9999-12-31t00:00:00z', '2024-02-29'),
    enter: type,
  },
  { field: { kind: 'checkbox' }, values: fc.boolean(), enter: (control, value) => control.setChecked(value) },
  {
    field: { kind: 'checkbox', default: true },
    values: fc.boolean(),
    enter: (control, value) => control.setChecked(value),
  },
  { field: { kind: 'checkbox', required: true }, values: fc.constant(true), enter: (control) => control.check() },
  {
    field: { kind: 'select', enum: CHOICES },
    values: fc.option(fc.constantFrom(...CHOICES), { nil: undefined }),
    async enter(control, value: string | undefined) {
      await control.selectOption({ index: 1 });
      await control.selectOption({ index: value === undefined ? 0 : CHOICES.indexOf(value) + 1 });
    },
  },
  {
    field: { kind: 'select', enum: CHOICES, ui: 'radio' },
    values: fc.option(fc.constantFrom(...CHOICES), { nil: undefined }),
    enter: choose,
  },
  {
    field: { kind: 'select', enum: CHOICES, ui: 'radio', required: true },
    values: fc.constantFrom(...CHOICES),
    enter: choose,
  },
  { field: { kind: 'multiselect', enum: CHOICES }, values: listOf(0, CHOICES.length), enter: tick },
  {
    field: { kind: 'multiselect', enum: CHOICES, required: true, minItems: 2, maxItems: 3 },
    values: listOf(2, 3),
    enter: tick,
  },
  {
    field: { kind: 'array' },
    values: text(1, 10),
    enter: type,
    stored: (value) => [{ value, timestamp: expect.any(String) }],
  },
  {
    field: { kind: 'file', types: ['txt'] },
    values: text(1, 10),
    enter: (control, content: string) =>
      control.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(`.${content}`) }),
    stored: (content) => [expect.objectContaining({ name: 'a.txt', size: Buffer.byteLength(`.${content}`) })],
  },
];

const FIELDS = CASES.map(({ field }, index) => FieldDefinitionInput.parse({ key: `f${index}`, ...field }));

/** The names of the controls that the browser would not send. */
const INVALID = `[...document.querySelectorAll(':is(input, textarea, select):invalid')].map(({ name }) => name)`;

/** The values of each round, the same in each run. */
const rounds = CASES.map(({ values }) => fc.sample(values, { numRuns: ROUNDS, seed: 1985 }));

async function enterRound(page: Page, round: number): Promise<void> {
  await page.locator('#email').fill(`round${round}@example.com`);
  for (const [index, { enter }] of CASES.entries()) {
    await enter(page.locator(`#data-f${index}`), rounds[index]?.[round] as never);
  }
}

describe('each valid value of each kind', () => {
  it('is made of values that the schema accepts', () => {
    const validator = compileSchema({ rejectUnknown: true, fields: FIELDS.map(completeDefinition) });
    expect(new Set(FIELDS.map(({ kind }) => kind)).size).toBe(FIELD_KINDS.length);
    for (let round = 0; round < ROUNDS; round += 1) {
      const values = FIELDS.flatMap(({ key, kind }, index) => {
        const value = rounds[index]?.[round];
        if (value === undefined || kind === 'file') return [];
        return [[key, kind === 'array' ? [value] : value] as const];
      });
      expect(validator.issues(Object.fromEntries(values))).toEqual([]);
    }
  });

  it.each([
    { javaScriptEnabled: false, from: 0 },
    { javaScriptEnabled: true, from: ROUNDS / 2 },
  ])('can be entered in its control and is stored: %j', async ({ javaScriptEnabled, from }) => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: FIELDS });
    const url = `${server.listener.url}/f/${sourceAppId}`;
    const { page, close } = await openPage('about:blank', { javaScriptEnabled });
    for (let round = from; round < from + ROUNDS / 2; round += 1) {
      await page.goto(url);
      await enterRound(page, round);
      expect(await page.evaluate(INVALID)).toEqual([]);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.waitForURL(`${url}/thanks`);
      const record = await server.db.collection('users').findOne({ sourceAppId, email: `round${round}@example.com` });
      const expected = CASES.flatMap(({ stored }, index) => {
        const value = rounds[index]?.[round];
        return value === undefined ? [] : [[`f${index}`, stored ? stored(value as never) : value] as const];
      });
      expect(record?.data).toEqual(Object.fromEntries(expected));
    }
    await close();
  });
});
