import { readdirSync, readFileSync } from 'node:fs';
import { isValidElement, type ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { fields as deFields } from '../../../web/src/texts/de/fields.ts';
import { de as deTexts } from '../../../web/src/texts/de/index.ts';
import { connect as enConnect } from '../../../web/src/texts/en/connect.tsx';
import { fields as enFields } from '../../../web/src/texts/en/fields.ts';
import { en as enTexts } from '../../../web/src/texts/en/index.ts';
import { type SyntaxNode, templateParts, visitNodes } from '../../support/syntax.ts';

const en = { ...enTexts, connect: enConnect, fields: enFields };
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

const ROOT = new URL('../../../web/src/', import.meta.url);
/** Attributes and properties whose values a reader sees. */
const SHOWN =
  /^(aria-label|aria-description|label|title|note|description|placeholder|action|name|alt|text|header|purpose|summary|message|error|hint|children)$/i;
/** Texts that are no words of a language: names of products, formats, keys and codes. */
const NAMES = new Set([
  'ADMIN_APP_ID',
  'ADMIN_PASSWORD',
  'Alt+ArrowUp Alt+ArrowDown',
  'Go',
  'Google Forms',
  'Mac OS',
  'Netlify Forms',
  'Node.js',
  'PUT /auth/apps/…/schema',
  'Python',
  'User Collection',
  'webhook-id',
  // A message of the service that the dashboard compares.
  'User not found',
  // In the language of the form.
  'Select an option',
]);

describe('the files of the dashboard', () => {
  it.each(folders())('have no text of their own in %s', (folder) => {
    expect(filesOf(folder).flatMap(literalTexts)).toEqual([]);
  });
});

function folders(): string[] {
  const names = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ['.', ...names.map(({ name }) => name).filter((name) => name !== 'texts')];
}

function filesOf(folder: string): string[] {
  const deep = folder !== '.';
  const names = readdirSync(new URL(`${folder}/`, ROOT), { recursive: deep, encoding: 'utf8' });
  return names.filter((name) => /\.tsx?$/.test(name)).map((name) => `${folder}/${name}`);
}

/** The literals that a reader would see: JSX text, sentences, and values of shown names. */
function literalTexts(file: string): string[] {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  const found: string[] = [];
  visitNodes(file, source, (node, parents) => {
    if (UNSEEN.has(node.type)) return false;
    const text = textOf(node, parents);
    if (text !== undefined) found.push(`${file}:${source.slice(0, node.start).split('\n').length}: ${text.trim()}`);
    return true;
  });
  return found;
}

const UNSEEN = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'TSLiteralType',
  'TSTypeAnnotation',
  'TSPropertySignature',
]);

/** The text of a literal that a reader would see; undefined for any other node. */
function textOf(node: SyntaxNode, parents: readonly SyntaxNode[]): string | undefined {
  if (node.type === 'JSXText') {
    const text = String(node.value).trim();
    return /[a-z]/i.test(text) && !NAMES.has(text) ? text : undefined;
  }
  if (node.type === 'Literal' && typeof node.value === 'string') {
    const text = node.value;
    const isSeen = isSentence(text) || (isShown(parents) && /^[A-Z][a-z]/.test(text));
    return isSeen && !NAMES.has(text) ? text : undefined;
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const parts = templateParts(node);
  const isSeen = parts.some((part) => isSentence(part) || (isShown(parents) && /(^|\s)[a-z]{2,}(\s|$)/i.test(part)));
  return isSeen ? parts.join('…') : undefined;
}

const isSentence = (text: string): boolean =>
  /[a-z]{2,}[,:;]? [a-z]{2,}/i.test(text) &&
  (/^[A-Z]/.test(text) || / (is|are|of|to|for|in|the|a|an|with|more) /.test(text));

/** Whether the literal is the value of an attribute or a property that a reader sees, or in JSX. */
function isShown(parents: readonly SyntaxNode[]): boolean {
  for (const [index, up] of parents.entries()) {
    if (up.type === 'JSXAttribute') return SHOWN.test(String((up.name as SyntaxNode).name));
    if (up.type === 'Property') return SHOWN.test(String((up.key as SyntaxNode).name ?? (up.key as SyntaxNode).value));
    if (up.type === 'JSXExpressionContainer' && parents[index + 1]?.type !== 'JSXAttribute') return true;
    if (/Statement$|^CallExpression$|^BinaryExpression$/.test(up.type)) return false;
  }
  return false;
}
