// @module-tag long
// @module-tag fault

import { describe } from 'vitest';
import { type AppOfViews, testViews, withAppOfViews } from './accessible-views.ts';

let on: AppOfViews;
withAppOfViews((_server, _app, started) => {
  on = started;
});

describe('every page', () => testViews('anonymous', () => on));
describe('every page of an operator', () => testViews('operator', () => on));
describe('every page of a member', () => testViews('member', () => on));
