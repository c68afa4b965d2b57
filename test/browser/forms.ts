import type { Page } from 'playwright-core';

/** A schema with every control that a form can show. */
export const EVERY_KIND: object[] = [
  { key: 'name', label: 'Full name', kind: 'text', required: true, maxLength: 50, help: 'As on your badge' },
  { key: 'notes', label: 'Notes', kind: 'text', ui: 'textarea' },
  { key: 'phone', label: 'Phone', kind: 'text', ui: 'tel', placeholder: '+49' },
  { key: 'home', label: 'Home page', kind: 'text', ui: 'url' },
  { key: 'work', label: 'Work', kind: 'text', ui: 'email' },
  { key: 'ticket', label: 'Ticket', kind: 'select', ui: 'radio', enum: ['day', 'full'], enumLabels: { full: 'All' } },
  { key: 'country', label: 'Country', kind: 'select', enum: ['de', 'fr'], enumLabels: { fr: 'France' } },
  {
    key: 'likes',
    label: 'Likes',
    kind: 'multiselect',
    enum: ['draw', 'piano', 'chess'],
    default: ['piano'],
    enumLabels: { draw: 'Drawing' },
    maxItems: 2,
    prefill: true,
  },
  { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], prefill: true },
  { key: 'seats', label: 'Seats', kind: 'number', min: 1, max: 9 },
  { key: 'born', label: 'Born', kind: 'date' },
  { key: 'stars', label: 'Stars', kind: 'number', ui: 'stars', min: 1, max: 5 },
  {
    key: 'likely',
    label: 'Likely',
    kind: 'number',
    ui: 'scale',
    min: 0,
    max: 10,
    ends: { min: 'Not at all', max: 'Very' },
  },
  { key: 'at', label: 'Time', kind: 'text', ui: 'time' },
  { key: 'news', label: 'News', kind: 'checkbox', default: true },
  {
    key: 'terms',
    label: 'Terms',
    kind: 'checkbox',
    required: true,
    consent: { version: '3', url: 'https://www.example.com/terms' },
  },
  { key: 'topics', label: 'Topics', kind: 'array' },
  { key: 'list', label: 'List', kind: 'text', hidden: true, default: 'spring' },
  { key: 'source', label: 'Source', kind: 'text', source: 'utm_source' },
];

/** What {@link fillEveryKind} enters, as it is stored. */
export const EVERY_VALUE = {
  name: 'Ada',
  notes: 'two\nlines',
  phone: '+49 30',
  home: 'https://a.example',
  work: 'ada@work.example',
  ticket: 'full',
  country: 'fr',
  likes: ['draw', 'chess'],
  plan: 'pro',
  seats: 2,
  born: '1815-12-10',
  stars: 4,
  likely: 10,
  at: '08:30',
  news: false,
  terms: true,
  topics: [{ value: 'engines' }],
  list: 'spring',
  source: 'mail',
};

/**
 * Fills in a form with {@link EVERY_KIND}, whose page was opened with `?utm_source=mail&plan=pro`.
 */
export async function fillEveryKind(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Full name').fill('Ada');
  await page.getByLabel('Notes').fill('two\nlines');
  await page.getByLabel('Phone').fill('+49 30');
  await page.getByLabel('Home page').fill('https://a.example');
  await page.getByLabel('Work').fill('ada@work.example');
  await page.getByLabel('All').check();
  await page.getByLabel('Country').selectOption('France');
  await page.getByRole('group', { name: 'Likes' }).getByText('Choose at most 2.').waitFor();
  await page.getByLabel('chess').check();
  await page.getByLabel('piano').uncheck();
  await page.getByLabel('Drawing').check();
  await page.getByLabel('Seats').fill('2');
  await page.getByLabel('Born').fill('1815-12-10');
  await page.getByLabel('4 stars').check();
  await page.getByLabel('10').check();
  await page.getByLabel('Time').fill('08:30');
  await page.getByLabel('News').uncheck();
  await page.getByLabel('Terms').check();
  await page.getByLabel('Topics').fill('engines');
}
