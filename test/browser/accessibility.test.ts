// @module-tag long
// @module-tag fault

import { describe } from 'vitest';
import type { TestApp } from '../support/server/client.ts';
import type { TestServer } from '../support/server/server.ts';
import { testViews, withAppOfViews } from './accessible-views.ts';

let server: TestServer;
let app: TestApp;
withAppOfViews((...started) => {
  [server, app] = started;
});

describe('every page', () => testViews('anonymous', () => ({ server, app })));
describe('every page of an operator', () => testViews('operator', () => ({ server, app })));
