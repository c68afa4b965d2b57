import { describe, expect, it } from 'vitest';
import { DEFAULT_FORM_SETTINGS } from '../../../../src/apps/form-settings/form-settings.ts';
import type { FieldDefinition } from '../../../../src/fields/definition.ts';
import { createFormPages } from '../../../../src/submissions/pages/form-pages.ts';
import type { FormView } from '../../../../src/submissions/pages/form-view.ts';

const pages = createFormPages();
const EVIL = `"><script>alert(1)</script><b x='`;

const view = (fields: FieldDefinition[], more: Partial<FormView> = {}): FormView => ({
  sourceAppId: 'newsletter',
  settings: DEFAULT_FORM_SETTINGS,
  fields,
  key: 'a-key',
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
    const names = ['email', EVIL, 'other', ...['k0', 'k1', 'k2', 'k3', 'area', 'select'].map((key) => `data[${key}]`)];
    const entries = new Map(names.map((name) => [name, [EVIL]]));
    const issues = [EVIL, 'email', 'data.k0', `data.${EVIL}`].map((path) => ({ path, message: EVIL }));
    const replies = [
      pages.form(view(fields, { settings, key: EVIL })),
      pages.form(view(fields, { settings, entries, issues, refusal: { status: 400, message: EVIL }, key: EVIL })),
      pages.thanks({ sourceAppId: 'newsletter', settings }),
      pages.refusal({ status: 403, message: EVIL }),
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
});
