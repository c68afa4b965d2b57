import { BROWSER_KINDS, type KindName } from '../../core/fields/base/browser-kinds.ts';
import type { Markup, MarkupNode } from './markup-node.ts';

/** A sign of a text, or the text between two signs. */
type Token = string | Sign;

interface Sign {
  kind: 'bold' | 'italic' | 'link';
  /** What a sign without a partner shows. */
  text: string;
  /** The element from this sign to its partner. */
  element?: readonly [tag: string, attributes: Markup[1]];
  /** The place of the partner. */
  end?: number;
}

/** The end of a link. Reads no `(`, so that many beginnings of links are read in linear time. */
const LINK_END = /\]\(((?:https:\/\/|mailto:)[^\s()<>"\\\p{C}]+)\)/iuy;
const SIGN = /\*+|\[|\]|\n/g;

/**
 * Returns the nodes of a text with `**bold**`, `*italic*` and `[text](address)`, whose address
 * begins with `https://` or `mailto:` (spec 4.5.1). All else is text. Takes linear time. No element
 * is inside one of its kind, so they nest at most three deep.
 */
export function marked(text: string): MarkupNode[] {
  return nodesOf(tokensOf(text));
}

/** Returns a text without its signs. */
export const withoutMarks = (text: string): string => textOf(marked(text));

/** Returns a text without its signs, with the address of each link in parentheses after it. */
export const withAddresses = (text: string): string =>
  textOf(marked(text), (href) => ` (${href.replace(/^mailto:/i, '')})`);

interface Labelled {
  label: string;
  type?: string | undefined;
  kind?: KindName | undefined;
}

/** Returns the nodes of the label of a control. Only those of checkboxes have signs. */
export const labelNodes = ({ type, label }: Labelled): MarkupNode[] => (type === 'checkbox' ? marked(label) : [label]);

/** Returns the label of a control or a field as plain text. */
export const plainLabel = ({ kind, type, label }: Labelled): string =>
  kind && BROWSER_KINDS[kind].hasMarkedLabel ? withoutMarks(label) : textOf(labelNodes({ type, label }));

function textOf(nodes: readonly MarkupNode[], addressText: (href: string) => string = () => ''): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      const [tag, { href }, ...children] = node;
      return textOf(children, addressText) + (tag === 'a' ? addressText(String(href)) : '');
    })
    .join('');
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  /** The signs that wait for a partner: at most one of each kind. */
  let open: Sign[] = [];
  let from = 0;

  const begin = (kind: Sign['kind'], shown: string): void => {
    const sign = { kind, text: shown };
    open = [...open.filter((one) => one.kind !== kind), sign];
    tokens.push(sign);
  };
  const end = (sign: Sign, tag: string, attributes: Markup[1] = {}): void => {
    sign.element = [tag, attributes];
    sign.end = tokens.length;
    open = open.slice(0, open.indexOf(sign));
    tokens.push('');
  };
  const asterisks = (run: string, at: number): void => {
    let left = run.length;
    // A longer run is a line, or a text that somebody hid.
    if (left <= 3 && endsWord(text, at, left)) {
      for (const sign of [...open].reverse()) {
        if (sign.kind === 'link' || sign.text.length > left || !open.includes(sign)) continue;
        left -= sign.text.length;
        end(sign, sign.kind === 'bold' ? 'strong' : 'em');
      }
    }
    if (left === 0) return;
    if (left > 3 || !beginsWord(text, at, run.length)) {
      tokens.push('*'.repeat(left));
      return;
    }
    if (left !== 2) begin('italic', '*');
    if (left !== 1) begin('bold', '**');
  };

  SIGN.lastIndex = 0;
  for (let match = SIGN.exec(text); match; match = SIGN.exec(text)) {
    const [sign] = match;
    const { index: at } = match;
    tokens.push(text.slice(from, at));
    from = at + sign.length;
    if (sign === '[') begin('link', '[');
    else if (sign === '\n') {
      open = [];
      tokens.push(sign);
    } else if (sign === ']') {
      const link = open.find(({ kind }) => kind === 'link');
      LINK_END.lastIndex = at;
      const href = link && text[at - 1] !== '[' && LINK_END.exec(text)?.[1];
      if (href) {
        end(link, 'a', linkAttributes(href));
        from = LINK_END.lastIndex;
        SIGN.lastIndex = from;
      } else {
        open = open.filter((one) => one !== link);
        tokens.push(sign);
      }
    } else asterisks(sign, at);
  }
  tokens.push(text.slice(from));
  return tokens;
}

/** The page that opens a mail program stays. */
function linkAttributes(href: string): Markup[1] {
  return { href, target: /^https/i.test(href) ? '_blank' : undefined, rel: 'noopener noreferrer' };
}

function nodesOf(tokens: readonly Token[], from = 0, to = tokens.length): MarkupNode[] {
  const nodes: MarkupNode[] = [];
  let plain = '';
  for (let index = from; index < to; index++) {
    const token = tokens[index] ?? '';
    if (typeof token === 'string' || !token.element || token.end === undefined) {
      plain += typeof token === 'string' ? token : token.text;
      continue;
    }
    if (plain !== '') nodes.push(plain);
    plain = '';
    nodes.push([...token.element, ...nodesOf(tokens, index + 1, token.end)]);
    index = token.end;
  }
  return plain === '' ? nodes : [...nodes, plain];
}

/**
 * A sign between two letters is text, as in `Nutzer*innen`. Scripts that put no space around a word
 * or a particle have signs there too.
 */
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const isLetter = (character: string): boolean => LETTER.test(character) && !UNSPACED.test(character);

const before = (text: string, at: number): string => [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
const after = (text: string, at: number): string => [...text.slice(at, at + 2)][0] ?? '';
const isSpace = (character: string): boolean => character.trim() === '';

function beginsWord(text: string, at: number, length: number): boolean {
  return !isSpace(after(text, at + length)) && !isInWord(text, at, length);
}

function endsWord(text: string, at: number, length: number): boolean {
  return !isSpace(before(text, at)) && !isInWord(text, at, length);
}

function isInWord(text: string, at: number, length: number): boolean {
  return isLetter(before(text, at)) && isLetter(after(text, at + length));
}
