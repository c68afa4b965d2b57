import { isValidElement, type ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { fields as deFields } from '../../../web/src/texts/de/fields.ts';
import { de as deTexts } from '../../../web/src/texts/de/index.ts';
import { fields as enFields } from '../../../web/src/texts/en/fields.ts';
import { en as enTexts } from '../../../web/src/texts/en/index.ts';

const en = { ...enTexts, fields: enFields };
const de = { ...deTexts, fields: deFields };

/** Texts that are the same in both languages. */
const EQUAL = new Set([
  'Administrator',
  'Administrator 701',
  'Administrator: 701',
  'App',
  'App: 701',
  'Apps',
  'Code',
  'Details',
  'Discord',
  'Export',
  'Feedback',
  'Filter',
  'Filter: 701',
  'Import',
  'JavaScript',
  'Link',
  'Logo',
  'Microsoft Teams',
  'Name',
  'Newsletter',
  'Node.js',
  'Online',
  'Passkeys',
  'Revision',
  'Revision 701',
  'Schema',
  'Slack',
  'Standard',
  'Status',
  'Status 701',
  'Team',
  'Terminal',
  'Text',
  'URL',
  'Version',
  'Version 701',
  'Webhook',
  'Webhooks',
  'Workshops',
]);

type Text = string | ((...values: never[]) => ReactNode);

/** Every text with its path, for example `held.title`. */
function textsOf(texts: object, path = ''): [string, Text][] {
  return Object.entries(texts).flatMap(([key, value]): [string, Text][] => {
    const at = path === '' ? key : `${path}.${key}`;
    if (isValidElement(value)) return [[at, () => value]];
    return typeof value === 'object' ? textsOf(value, at) : [[at, value]];
  });
}

/** What a reader sees of a text. */
function shown(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(shown).join('');
  if (isValidElement<{ children?: ReactNode }>(node)) return shown(node.props.children);
  return typeof node === 'string' || typeof node === 'number' ? String(node) : '';
}

/** Calls a text with a different number for each value. */
function filled(text: Text): string {
  if (typeof text === 'string') return text;
  return shown(text(...(Array.from({ length: text.length }, (_, index) => 701 + index) as never[])));
}

const german = new Map(textsOf(de));

describe('the texts of the dashboard', () => {
  it('exist in German, with the same values', () => {
    const wrong = textsOf(en).flatMap(([path, text]) => {
      const other = german.get(path);
      if (other === undefined) return [`${path} is missing`];
      const values = (one: Text) => [...new Set(filled(one).match(/\b70[0-9]\b/g))].sort().join();
      return values(text) === values(other) ? [] : [`${path}: ${filled(text)} | ${filled(other)}`];
    });
    expect(wrong).toEqual([]);
    expect([...german.keys()]).toHaveLength(textsOf(en).length);
  });

  it('are translated', () => {
    const same = textsOf(en).filter(([path, text]) => {
      const [own, other] = [filled(text), filled(german.get(path) ?? '')];
      return own === other && /[a-z]{3}/i.test(own) && !EQUAL.has(own);
    });
    expect(same.map(([path, text]) => `${path}: ${filled(text)}`)).toEqual([]);
  });
});
