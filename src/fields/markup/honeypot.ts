import type { Markup } from './markup.ts';

/**
 * A field that people do not see and that only a program fills in (spec 4.5). Neither its name nor
 * its text is one that browsers or password managers complete.
 */
export const HONEYPOT: Markup = [
  'div',
  { class: 'trap', 'aria-hidden': 'true' },
  ['label', { for: 'trap' }, 'Leave this empty'],
  [
    'input',
    {
      ...{ type: 'text', id: 'trap', name: '_gotcha', tabindex: -1, autocomplete: 'off' },
      ...{ 'data-1p-ignore': true, 'data-lpignore': 'true', 'data-bwignore': true, 'data-form-type': 'other' },
    },
  ],
];
