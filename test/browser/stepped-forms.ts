import type { Page } from 'playwright-core';

/** Three pages, of which the second one counts for one plan alone. */
export const STEPPED: object[] = [
  {
    key: 'plan',
    label: 'Plan',
    labels: { de: 'Tarif', ar: 'الخطة' },
    kind: 'select',
    ui: 'radio',
    enum: ['free', 'pro'],
    enumLabels: { free: 'Free', pro: 'Pro' },
    required: true,
    prefill: true,
  },
  {
    key: 'seats',
    label: 'Seats',
    labels: { de: 'Plätze', ar: 'المقاعد' },
    kind: 'number',
    min: 2,
    required: true,
    prefill: true,
    showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
  },
  {
    key: 'company',
    label: 'Company',
    labels: { de: 'Firma', ar: 'الشركة' },
    kind: 'text',
    page: 2,
    requiredIf: { all: [{ field: 'seats', op: 'gte', value: 10 }] },
    showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
  },
  { key: 'note', label: 'Note', labels: { de: 'Notiz', ar: 'ملاحظة' }, kind: 'text', ui: 'textarea', page: 3 },
  { key: 'news', label: 'News', kind: 'checkbox', required: true },
];

export const STEP_SETTINGS = {
  title: 'Register',
  languages: ['de', 'ar'],
  pages: [
    { page: 1, title: 'Your plan', titles: { de: 'Ihr Tarif', ar: 'خطتك' } },
    { page: 2, title: 'Your company', titles: { de: 'Ihre Firma', ar: 'شركتك' } },
    { page: 3, title: 'Last things', titles: { de: 'Zum Schluss', ar: 'أخيرًا' } },
  ],
};

/** The title of the open page. */
export const titleOf = (page: Page): Promise<string> =>
  page.locator('[data-step]:not([data-off]) [tabindex]').innerText();
