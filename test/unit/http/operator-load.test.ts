import { setImmediate as nextTurn } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { hasTurns, resolveLoad } from '../../../src/core/http/request-turns.ts';
import { listEndpoints } from '../../../src/http/endpoints.ts';
import { POOL_SIZE } from '../../../src/platform/database/client.ts';
import { createOperatorLoad, LOADS, type StatementLoad } from '../../../src/platform/http/operator-load.ts';

/** Endpoints whose work is bounded by keys: one record, the settings of an app, a session. */
const LIGHT = [
  'changeView',
  'createView',
  'deleteView',
  'listViews',
  'listLooks',
  'noteLook',
  'getUser',
  'editUser',
  'changeUserEmail',
  'revertUser',
  'eraseUser',
  'listHistory',
  'getSession',
  'getMailStatus',
  'getRetention',
  'replaceRetention',
  'getHistorySettings',
  'replaceHistorySettings',
  'getFormSettings',
  'replaceFormSettings',
  'getOwnSchema',
  'getAppSchema',
  'replaceSchema',
  'listIndexes',
  'createApp',
  'rotatePassword',
  'listKeys',
  'createKey',
  'deleteKey',
  'getAccount',
  'renameAccount',
  'replaceAccountPassword',
  'listSessions',
  'endSession',
  'endOtherSessions',
  'listPasskeys',
  'beginPasskey',
  'addPasskey',
  'removePasskey',
  'beginTotp',
  'confirmTotp',
  'removeTotp',
  'listMembers',
  'changeMember',
  'removeMember',
  'listInvitations',
  'createInvitation',
  'deleteInvitation',
  'getAccess',
  'replaceAccess',
  'listAccounts',
  'createAccount',
  'changeAccount',
  'endAccountSessions',
  'deleteAccount',
  'getChange',
  'undoChange',
  'stopChange',
  'createImport',
  'startImport',
  'getImport',
  'undoImport',
  'deleteImport',
  'releaseHeld',
  'deleteHeld',
  'changeSubmission',
  'listWebhooks',
  'createWebhook',
  'changeWebhook',
  'rotateWebhookSecret',
  'getDelivery',
  'replayDelivery',
  'retryMail',
  'sendEntryLink',
  'getWebhookSample',
  'getSearchIndex',
  'replaceSearchIndex',
  'linkFile',
];
/** Endpoints that take as long as the data, a client or a receiver. */
const LONG = [
  'exportUsers',
  'exportSelectedUsers',
  'exportSubmissions',
  'exportAuditEvents',
  'eraseUsers',
  'changeUsers',
  'exportPerson',
  'erasePerson',
  'getImportOmissions',
  'getImportRejects',
  'deleteApp',
  'deleteWebhook',
  'testWebhook',
  'testMail',
  'replayWebhook',
  'getFile',
  'getLinkedFile',
  'openEntryPage',
  'eraseEntry',
  'exportEntry',
];

const endpoints = listEndpoints();
const operators = endpoints.filter(({ spec }) => hasTurns(spec));
/** The names of the endpoints with this load, for a request with a query. */
const withLoad = (load: string): string[] =>
  operators.filter(({ spec }) => resolveLoad(spec, { query: { limit: 1 } as never }) === load).map(({ name }) => name);

describe('the loads of endpoints of operators', () => {
  it('are read, except for those that are listed here', () => {
    expect(withLoad('light').toSorted()).toEqual(LIGHT.toSorted());
    expect(withLoad('long').toSorted()).toEqual(LONG.toSorted());
    expect(withLoad('read').length).toBe(operators.length - LIGHT.length - LONG.length);
  });

  it('are long for a list without parameters', () => {
    const spec = operators.find(({ name }) => name === 'listUsers')?.spec;
    expect(spec && resolveLoad(spec, { query: {} as never })).toBe('long');
    expect(spec && resolveLoad(spec, { query: { sort: 'email' } as never })).toBe('read');
  });

  it('are declared by no other endpoint', () => {
    const others = endpoints.filter(({ spec }) => !hasTurns(spec) && spec.load !== undefined);
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  it('leave no app all slots', () => {
    for (const [name, { slots, perKey }] of Object.entries(LOADS)) {
      expect(perKey, name).toBeLessThan(slots);
    }
  });

  it('leave a part of the connections to submissions', () => {
    const slots = Object.values(LOADS).reduce((sum, load) => sum + load.slots, 0);
    expect(slots).toBeLessThan(POOL_SIZE - 50);
  });
});

describe('the steps of long work', () => {
  /** Begins a step that ends when `end` is called. */
  function begin(load: ReturnType<typeof createOperatorLoad>, appId: ObjectId | undefined, kind: StatementLoad) {
    const step = { hasBegun: false, end: () => {} };
    const ended = new Promise<void>((resolve) => {
      step.end = resolve;
    });
    void load.step(kind, appId, () => {
      step.hasBegun = true;
      return ended;
    });
    return step;
  }

  it('are two scans in all and one of an app, and pages beside them', async () => {
    const load = createOperatorLoad();
    const [one, two, three] = [new ObjectId(), new ObjectId(), new ObjectId()];
    const steps = {
      first: begin(load, one, 'scan'),
      page: begin(load, one, 'page'),
      second: begin(load, one, 'scan'),
      ofTwo: begin(load, two, 'scan'),
      ofThree: begin(load, three, 'scan'),
      ofAll: begin(load, undefined, 'page'),
    };
    const begun = async () => {
      await nextTurn();
      return Object.entries(steps).flatMap(([name, { hasBegun }]) => (hasBegun ? name : []));
    };
    expect(await begun()).toEqual(['first', 'page', 'ofTwo', 'ofAll']);
    steps.first.end();
    expect(await begun()).toEqual(['first', 'page', 'second', 'ofTwo', 'ofAll']);
    steps.ofTwo.end();
    expect(await begun()).toEqual(Object.keys(steps));
  });
});
