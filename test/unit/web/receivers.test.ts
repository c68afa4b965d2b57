import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { de } from '../../../web/src/texts/de/index.ts';
import { en } from '../../../web/src/texts/en/index.ts';
import { translatedReceiver } from '../../../web/src/webhooks/receivers/translated.ts';
import { RECEIVER_FOLDER, RECEIVERS } from '../../support/peers/receiver-process.ts';

const english = Object.values(en.webhooks.receivers);
const codeOf = (file: string) => readFile(join(RECEIVER_FOLDER, file), 'utf8');

describe('the comments and messages of the receivers of webhooks', () => {
  it('are those of the catalogue', async () => {
    const all = (await Promise.all(RECEIVERS.map(codeOf))).join('\n');
    expect(english.filter((text) => !all.includes(text))).toEqual([]);
  });

  it.each(RECEIVERS)('are translated in %s', async (file) => {
    const code = await codeOf(file);
    const translated = translatedReceiver(code, de.webhooks.receivers);
    expect(english.filter((text) => translated.includes(text))).toEqual([]);
    expect(translated).toContain(de.webhooks.receivers.noSecret);
    expect(translatedReceiver(code, en.webhooks.receivers)).toBe(code);
  });

  it('stay comments and texts of the code', () => {
    expect(Object.values(de.webhooks.receivers).join(' ')).not.toMatch(/["'`\\\n]/);
  });
});
