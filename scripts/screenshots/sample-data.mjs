// Deterministic sample data. Some values contain markup, script URLs and formulas, which must not
// run.
import { readFileSync } from 'node:fs';

export const APP = 'newsletter';

const NAMES =
  'Ada Lovelace,Alan Turing,Grace Hopper,Edsger Dijkstra,Barbara Liskov,Donald Knuth,Katherine Johnson,Tony Hoare,Radia Perlman,Dennis Ritchie,Frances Allen,Ken Thompson,Margaret Hamilton,Niklaus Wirth,Hedy Lamarr,John Backus,Mary Jackson,Leslie Lamport,Annie Easley,Robin Milner'.split(
    ',',
  );
const PLANS = ['free', 'team', 'company'];
const CITIES = ['London', 'Nairobi', 'Osaka', 'Lima', 'Oslo', 'Montréal', 'Kraków'];
const USERS = 164;

const first = {
  rejectUnknown: false,
  fields: [
    { key: 'name', label: 'Full name', kind: 'text', maxLength: 80 },
    { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'team'] },
  ],
};
const second = {
  rejectUnknown: true,
  fields: [
    { key: 'name', label: 'Full name', kind: 'text', required: true, maxLength: 80 },
    { key: 'plan', label: 'Plan', kind: 'select', required: true, enum: PLANS },
    { key: 'seats', label: 'Seats', kind: 'number', min: 1, max: 500 },
    { key: 'city', label: 'City', kind: 'text' },
    { key: 'news', label: 'Wants news', kind: 'checkbox' },
    { key: 'since', label: 'Customer since', kind: 'date' },
    { key: 'visits', label: 'Visits', kind: 'array' },
  ],
};
const survey = {
  rejectUnknown: false,
  fields: [
    { key: 'answer', label: 'How did it go?', kind: 'text' },
    {
      key: 'again',
      label: 'Will you come again?',
      kind: 'select',
      ui: 'radio',
      enum: ['Yes', 'Perhaps', 'No'],
      default: 'Yes',
    },
    { key: 'photos', label: 'Your pictures', kind: 'file', types: ['jpeg', 'png', 'webp'], maxFiles: 5 },
    { key: 'public', label: 'You may **publish** my pictures', kind: 'checkbox', default: true },
  ],
};

/** The schema versions of each app that follow the default schema. */
export const SCHEMAS = { [APP]: [first, second], survey: [survey], 'launch-2027': [] };

/** The form settings of the app. */
export const FORM_SETTINGS = {
  title: 'Join the newsletter',
  description: 'One email a month, and no other ones.',
  submitLabel: 'Sign up',
  origins: ['https://www.example.com'],
};

const image = (name) => `data:image/webp;base64,${readFileSync(new URL(name, import.meta.url), 'base64')}`;

/** Those of the survey, with an appearance of its own. */
export const SURVEY_SETTINGS = {
  title: 'How was the workshop?',
  description: 'Three questions, *one* minute.',
  submitLabel: 'Send answers',
  theme: { accent: '#0f766e', logo: image('logo.webp'), logoAlt: 'Nordlicht', cover: image('cover.webp') },
};

/** The entries of forms that bot protection holds. */
export const HELD = [
  { email: 'winner@example.com', name: 'You have won', plan: 'free', city: 'https://example.com/prize' },
  { email: 'hedy.lamarr@example.org', name: 'Hedy Lamarr', plan: 'team', seats: '4', news: 'true' },
];

/** A form that was written for another service. */
export const FORM_TO_IMPORT = `<form action="https://formspree.io/f/xyz" method="POST">
  <label>Full name <input name="name" required maxlength="80"></label>
  <label>Your email <input type="email" name="_replyto" required></label>
  <label>Company <input name="company-name" autocomplete="organization"></label>
  <input type="file" name="logo"> <input type="hidden" name="_subject" value="New subscriber">
  <button>Subscribe</button>
</form>`;

export function createSubmissions() {
  const users = Array.from({ length: USERS }, (_, index) => ({ app: APP, submissions: submissionsOf(index) }));
  const answers = [
    'Very well',
    '<img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    '=HYPERLINK("http://example.com")',
  ];
  return [
    ...users,
    ...answers.map((answer, index) => ({
      app: 'survey',
      submissions: [{ email: `guest${index + 1}@example.org`, data: { answer } }],
    })),
  ];
}

function submissionsOf(index) {
  const name = NAMES[index % NAMES.length];
  const round = Math.floor(index / NAMES.length);
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}${round === 0 ? '' : round + 1}@example.com`;
  const data = {
    name,
    plan: PLANS[(index * 5) % PLANS.length],
    seats: 1 + ((index * 37) % 60),
    city: CITIES[(index * 3) % CITIES.length],
    news: index % 3 !== 0,
    since: `202${index % 6}-0${1 + (index % 9)}-1${index % 10}`,
    visits: [{ page: '/pricing', seconds: 20 + index }],
  };
  const later = [
    { page: '/docs', seconds: 95 },
    { page: '/signup', seconds: 41 },
  ].map((visit) => ({ email, data: { name, plan: data.plan, visits: [visit] } }));
  return [{ email, data }, ...(index % 4 === 3 ? later : [])];
}
