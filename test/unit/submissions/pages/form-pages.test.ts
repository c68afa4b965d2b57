import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../../src/core/fields/definition.ts';
import { DEFAULT_FORM_SETTINGS } from '../../../../src/features/form-settings/form-settings.ts';
import { type FormView, formControls, type SentForm } from '../../../../src/features/forms/form-html.ts';
import { createFormPages } from '../../../../src/features/forms/form-pages.ts';
import { languageOf } from '../../../../src/platform/languages/languages.ts';
import { type PlainCode, reasonOf, say } from '../../../../src/platform/languages/reasons.ts';

const pages = createFormPages();
const language = languageOf('en');
const EVIL = `"><script>alert(1)</script><b x='`;
const EVIL_REASON = { ...say('invalidSubmission'), message: EVIL };

const view = (fields: FieldDefinition[], more: Partial<FormView> = {}): FormView => ({
  sourceAppId: 'newsletter',
  settings: DEFAULT_FORM_SETTINGS,
  fields,
  language,
  key: 'a-key',
  ...more,
});
/** Entries of `data` under these names, as a form sent them. */
const sent = (entries: Record<string, string>, more: Partial<SentForm> = {}): SentForm => ({
  email: undefined,
  data: new Map(Object.entries(entries).map(([name, text]) => [name.replace(/^data\[(.*)\]$/, '$1'), [[name, text]]])),
  others: [],
  files: [],
  ...more,
});
const field = (options: object) =>
  ({ key: 'field', label: 'Field', kind: 'text', required: false, ...options }) as never;
const policyOf = (settings: object) =>
  pages.form(view([], { settings: { ...DEFAULT_FORM_SETTINGS, ...settings } })).headers['Content-Security-Policy'];

describe('a form page', () => {
  it('escapes every text of settings, of the schema and of a person', () => {
    const fields = [
      ...['text', 'number', 'date', 'array', 'checkbox'].map((kind, index) =>
        field({
          key: `k${index}`,
          kind,
          label: EVIL,
          help: EVIL,
          placeholder: EVIL,
          autocomplete: EVIL,
          default: EVIL,
        }),
      ),
      field({ key: 'area', ui: 'textarea', label: EVIL }),
      field({ key: 'select', kind: 'select', enum: [EVIL], enumLabels: { [EVIL]: EVIL }, label: EVIL }),
      field({ key: 'radio', kind: 'select', ui: 'radio', enum: [EVIL], enumLabels: { [EVIL]: EVIL }, label: EVIL }),
      field({ key: 'terms', kind: 'checkbox', consent: { version: EVIL, url: EVIL }, label: EVIL }),
    ];
    const settings = { ...DEFAULT_FORM_SETTINGS, title: EVIL, description: EVIL, submitLabel: EVIL, thanks: EVIL };
    const names = [EVIL, 'other', 'refused', 'k0', 'k1', 'k2', 'k3', 'k4', 'area', 'select', 'radio'];
    const entries = sent(Object.fromEntries(names.map((name) => [name, EVIL])), {
      email: EVIL,
      others: [[EVIL, EVIL]],
      files: [EVIL],
    });
    const issues = [EVIL, 'email', 'data.k0', `data.${EVIL}`, 'data.refused'].map((path) => ({ path, ...EVIL_REASON }));
    const replies = [
      pages.form(view(fields, { settings, key: EVIL })),
      pages.form(
        view(fields, { settings, sent: entries, issues, refusal: { status: 400, ...EVIL_REASON }, key: EVIL }),
      ),
      pages.thanks({ sourceAppId: 'newsletter', settings, language }),
      pages.refusal({ status: 403, ...EVIL_REASON }, language),
    ];
    for (const { html } of replies) {
      expect(html).toContain('&#60;script&#62;');
      expect(html).not.toContain('<script>');
      expect(html).not.toContain(`x='`);
    }
  });

  it('is loaded under a policy that allows the redirects of its app', () => {
    expect(policyOf({ origins: ['https://a.example'], next: 'https://b.example:8443/thanks?x=1' })).toContain(
      "form-action 'self' https://a.example https://b.example:8443;",
    );
    expect(policyOf({ origins: ['*'] })).toContain("form-action 'self';");
  });

  it('leaves out origins whose host would end a directive of the policy', () => {
    const policy = policyOf({ origins: ['https://a;sandbox', 'https://a,b', "https://a'b", 'https://[::1]:3000'] });
    expect(policy).toContain("form-action 'self';");
  });

  it('shows texts that a native control would remove in a control that keeps them', () => {
    const fields = [
      field({ key: 'age', kind: 'number' }),
      field({ key: 'born', kind: 'date' }),
      field({ key: 'line' }),
      field({ key: 'lines', ui: 'textarea' }),
    ];
    const texts = { age: '1,5', born: '2026-02-30', line: 'a\nb', lines: '\na' };
    const { html } = pages.form(
      view(fields, { sent: sent(texts), refusal: { status: 400, ...say('invalidSubmission') } }),
    );
    expect(html).toMatch(/<input type="text" id="data-age"[^>]* value="1,5">/);
    expect(html).toMatch(/<input type="text" id="data-born"[^>]* value="2026-02-30">/);
    expect(html).toMatch(/<textarea id="data-line"[^>]*>\na\nb</);
    // The parser of HTML removes the first line break.
    expect(html).toMatch(/<textarea id="data-lines"[^>]*>\n\na</);
  });

  it('shows an empty entry as empty when it comes back, and not the default', () => {
    const fields = [field({ key: 'plan', kind: 'select', enum: ['a', 'b'], default: 'b' })];
    expect(pages.form(view(fields)).html).toContain('<option value="b" selected>');
    const again = view(fields, { sent: sent({ plan: '' }), refusal: { status: 429, ...say('tooManySubmissions') } });
    expect(pages.form(again).html).not.toContain('selected');
  });

  it('sends entries that no field shows again under their names, except refused ones, which it shows', () => {
    const texts = { other: 'of-other', refused: 'of-refused', 'data[x]': 'of-x', known: 'of-known' };
    const entries = sent(texts, { others: [['_next', 'of-next']] });
    const issues = [{ path: 'data.refused', ...say('unknownField') }];
    const refusal = { status: 400, ...say('invalidSubmission') };
    const { html } = pages.form(view([field({ key: 'known' })], { sent: entries, issues, refusal }));
    const hidden = [...html.matchAll(/type="hidden" name="([^"]+)"/g)].map(([, name]) => name);
    expect(hidden).toEqual(['_key', '_next', 'other', 'data[x]']);
    expect(html).toContain('value="of-known"');
    expect(html).toMatch(/<textarea id="refused-\w+" readonly rows="1">\nof-refused</);
  });

  it('has the fields in the order in which they were sent, each other one after the one before it', () => {
    const fields = ['a', 'b', 'c', 'd', 'e'].map((key) => field({ key }));
    const refusal = { status: 503, ...say('noDatabase') };
    const { html } = pages.form(view(fields, { sent: sent({ d: '4', other: 'x', 'data[b]': '2' }), refusal }));
    const [, form = ''] = html.split('<form');
    const names = [...form.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name);
    expect(names.slice(0, -1)).toEqual([
      '_key',
      'email',
      'data[a]',
      'data[d]',
      'data[e]',
      'other',
      'data[b]',
      'data[c]',
    ]);
  });

  it('with very many choices is shown once, and after a refusal replaced by a short page', () => {
    const choices = Array.from({ length: 6_000 }, (_, index) => `choice-${index}`);
    const fields = [field({ key: 'plan', kind: 'select', enum: choices })];
    expect(pages.form(view(fields)).html).toContain('choice-5999');
    const { html, status } = pages.form(view(fields, { refusal: { status: 429, ...say('tooManySubmissions') } }));
    expect(status).toBe(429);
    expect(html).not.toContain('choice-5999');
  });

  it.each(['select', 'radio'])('chooses one of many choices (%s) without writing all of them again', (ui) => {
    const values = ['choice', 'choice-1', 'a "b" <c> $& d', ...Array.from({ length: 50 }, (_, index) => `n${index}`)];
    const options = { kind: 'select', ...(ui === 'radio' && { ui }), required: true, default: 'n7' };
    const many = [field({ ...options, enum: values })];
    const few = (value: string) => [field({ ...options, enum: [value] })];
    const choiceIn = (fields: FieldDefinition[], texts?: string[]) => {
      const prefilled = new Map(texts && [['data[field]', texts]]);
      return pages.form(view(fields, { prefilled })).html.match(/<[^>]* (?:selected|checked)[^>]*>/g);
    };
    expect(choiceIn(many)).toHaveLength(1);
    let writes = 0;
    for (const choice of formControls(many)[0]?.choices ?? []) {
      const { label } = choice;
      Object.defineProperty(choice, 'label', {
        get: () => {
          writes += 1;
          return label;
        },
      });
    }
    expect(choiceIn(many)?.[0]).toContain(' value="n7" ');
    for (const value of values) {
      const [expected = ''] = choiceIn(few(value), [value]) ?? [];
      const withoutId = (tag = '') => tag.replace(/ id="[^"]*"/, '');
      expect(choiceIn(many, ['n7', value])?.map(withoutId)).toEqual([withoutId(expected)]);
    }
    expect(choiceIn(many, ['unknown'])).toBeNull();
    expect(choiceIn(many, [''])).toBeNull();
    expect(writes).toBe(0);
  });

  it('marks what is not shown at first, also of a field with many choices', () => {
    const choices = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const showIf = { all: [{ field: 'a', op: 'eq' as const, value: 'x' }] };
    const fields = [
      field({ key: 'a', prefill: true }),
      field({ key: 'b', kind: 'select', enum: choices, default: 'n7', required: true, showIf }),
    ];
    const controlOf = (text: string): string => {
      const { html } = pages.form(view(fields, { prefilled: new Map([['data[a]', [text]]]) }));
      return html.slice(html.indexOf('<div', html.indexOf('data-a')), html.indexOf('</select>'));
    };
    for (const text of ['x', 'y', 'x']) {
      const [start = ''] = controlOf(text).match(/<div[^>]*>/) ?? [];
      expect(start).toContain('data-field="b"');
      expect(start.includes('data-off')).toBe(text === 'y');
      expect(controlOf(text)).toContain('<option value="n7" selected>');
      // Without JavaScript it could not be left out.
      expect(controlOf(text)).not.toContain(' required');
    }
  });

  it('has pages, unless its entries came in another order, which it keeps', () => {
    const fields = [field({ key: 'a' }), field({ key: 'b', page: 2 })];
    const sent = (keys: string[]): SentForm => ({
      email: '',
      data: new Map(keys.map((key) => [key, [[`data[${key}]`, key]]])),
      others: [],
      files: [],
    });
    const refusal = { status: 400, ...say('invalidSubmission') };
    const htmlOf = (keys: string[]): string => pages.form(view(fields, { sent: sent(keys), refusal })).html;
    expect(htmlOf(['a', 'b']).match(/data-step=|data-go=/g)).toHaveLength(4);
    const other = htmlOf(['b', 'a']);
    expect(other).not.toMatch(/data-step=|data-go=/);
    expect(other.indexOf('id="data-b"')).toBeLessThan(other.indexOf('id="data-a"'));
  });

  it.each([400, 403, 404, 409, 413, 415, 422, 429, 503, 500])('says what to do after a %d', (status) => {
    const { html } = pages.refusal({ status, ...say('invalidSubmission') }, language);
    expect(html).toMatch(/<h1>[A-Z].+<\/h1>.*<p>[A-Z].+\.<\/p>/);
    expect(html.includes('<p>Invalid submission.</p>')).toBe(status !== 404);
  });

  it.each<[PlainCode, boolean]>([
    ['closed', false],
    ['full', false],
    ['originRefused', false],
    ['proofExpired', true],
    ['proofInvalid', true],
    ['proofUsed', true],
  ])('offers another attempt after a 403 only where it helps: %s', (code, helps) => {
    const { html } = pages.refusal({ status: 403, ...reasonOf(code) }, language);
    expect(/again|once more/.test(html)).toBe(helps);
  });
});
