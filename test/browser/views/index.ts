import { OF_APPS } from './of-apps.ts';
import { OF_FORMS } from './of-forms.ts';
import { OF_PEOPLE } from './of-people.ts';
import { OF_RECORDS } from './of-records.ts';
import { OF_SCHEMAS } from './of-schemas.ts';
import { OF_USERS } from './of-users.ts';
import { OF_WEBHOOKS } from './of-webhooks.ts';
import type { View } from './view.ts';

/** Every page and dialog of the dashboard, apart from those that need a journey. */
export const VIEWS: readonly View[] = [
  ...OF_PEOPLE,
  ...OF_USERS,
  ...OF_RECORDS,
  ...OF_FORMS,
  ...OF_WEBHOOKS,
  ...OF_SCHEMAS,
  ...OF_APPS,
];
