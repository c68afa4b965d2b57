// The files of the dashboard have no text of their own: web/src/texts has all, in each language.
import { filesIn, lineAt, read, SOURCE } from './repository.mjs';
import { templateParts, visitNodes } from './syntax.mjs';

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
const UNSEEN = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'TSLiteralType',
  'TSTypeAnnotation',
  'TSPropertySignature',
]);

/** What is loaded, or shown, before the log-in. */
const BEFORE_LOG_IN = /^web\/src\/(?:(?:api|components|drafts|entrance|session)\/|theme\.ts$|dashboard\.tsx$)/;
const TEXTS_OF_PAGES = /import \{[^}]*\bt\b[^}]*\} from '[./]*texts\/texts\.ts'/;

export function texts() {
  const files = filesIn(['web/src'], SOURCE).filter((file) => !file.startsWith('web/src/texts/'));
  return [...files.flatMap(literalTexts), ...files.flatMap(laterTexts)];
}

/** The texts of the pages are loaded with a session. */
function laterTexts(file) {
  if (!BEFORE_LOG_IN.test(file)) return [];
  const source = read(file);
  const at = source.search(TEXTS_OF_PAGES);
  if (at < 0) return [];
  return [{ file, line: lineAt(source, at), problem: 'is shown before the log-in: import texts/first-texts.ts' }];
}

/** The literals that a reader would see: JSX text, sentences, and values of shown names. */
function literalTexts(file) {
  const found = [];
  visitNodes(file, (node, parents) => {
    if (UNSEEN.has(node.type)) return false;
    const text = textOf(node, parents)?.trim();
    if (text !== undefined) {
      found.push({
        file,
        line: lineAt(read(file), node.start),
        problem: `has the text "${text}", which belongs to web/src/texts`,
      });
    }
    return true;
  });
  return found;
}

/** The text of a literal that a reader would see; undefined for any other node. */
function textOf(node, parents) {
  if (node.type === 'JSXText') {
    const text = node.value.trim();
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

const isSentence = (text) =>
  /[a-z]{2,}[,:;]? [a-z]{2,}/i.test(text) &&
  (/^[A-Z]/.test(text) || / (is|are|of|to|for|in|the|a|an|with|more) /.test(text));

/** Whether the literal is the value of an attribute or a property that a reader sees, or in JSX. */
function isShown(parents) {
  for (const [index, up] of parents.entries()) {
    if (up.type === 'JSXAttribute') return SHOWN.test(up.name.name);
    if (up.type === 'Property') return SHOWN.test(up.key.name ?? up.key.value);
    if (up.type === 'JSXExpressionContainer' && parents[index + 1]?.type !== 'JSXAttribute') return true;
    if (/Statement$|^CallExpression$|^BinaryExpression$/.test(up.type)) return false;
  }
  return false;
}
