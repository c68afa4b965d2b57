import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { CORE_MEMBERS } from '../../../src/core/apps/app.ts';
import { type AppPart, createAppParts } from '../../../src/core/apps/app-part.ts';
import { createAppModel } from '../../../src/core/apps/apps.model.ts';
import { historyMembers } from '../../../src/features/history/history-settings.ts';
import type { PendingRenames } from '../../../src/features/renames/renames.ts';
import { createClosedConnection } from '../../../src/platform/database/client.ts';
import { APP_PARTS } from '../../../src/services.ts';

const stored = {
  _id: new ObjectId(),
  sourceAppId: 'shop',
  role: 'user' as const,
  passwordHash: 'hash',
  credentialId: 'c',
  createdAt: new Date(0),
  lastSubmissionAt: new Date(1),
};
const core = { id: stored._id, sourceAppId: 'shop', role: 'user', credentialId: 'c', createdAt: stored.createdAt };

/** What parts know of the schema of a lease. */
const under = (fileKeys?: ReadonlySet<string>, moving?: PendingRenames) => ({
  validator: { fileKeys },
  stored: { id: new ObjectId(), schema: { version: 1, rejectUnknown: false, fields: [] }, moving },
});

function declaredBy(parts: readonly AppPart[]) {
  const { schema } = createAppModel(createClosedConnection(), createAppParts(parts));
  const { properties } = schema.toJSONSchema({ useBsonType: true });
  return { members: Object.keys(properties), indexes: schema.indexes().map(([keys]) => keys) };
}

describe('an app without parts', () => {
  it('has the members and the indexes of the core only', () => {
    const { members, indexes } = declaredBy([]);
    expect(members.toSorted()).toEqual(Object.keys(CORE_MEMBERS).toSorted());
    expect(indexes).toEqual([{ sourceAppId: 1 }, { deletingSince: 1 }]);
  });

  it('shows nothing else', () => {
    const { toApp, isSame, underSchema } = createAppParts([]);
    const app = toApp(stored);
    expect(app).toEqual(core);
    expect(isSame(app, app)).toBe(true);
    expect(underSchema(app, under(new Set(['cv'])))).toEqual(core);
  });
});

describe('the parts of an app', () => {
  const seen: AppPart = {
    members: { lastSubmissionAt: Date },
    indexes: [[{ lastSubmissionAt: 1 }, { sparse: true }]],
    read: ({ lastSubmissionAt }) => ({ lastSubmissionAt }),
    isSame: (one, other) => one.lastSubmissionAt === other.lastSubmissionAt,
  };
  const files: AppPart = {
    underSchema: (_app, { validator }) => (validator.fileKeys ? { keepsFiles: true } : undefined),
  };

  it('add their members and indexes to the stored app', () => {
    const { members, indexes } = declaredBy([seen, files]);
    expect(members.toSorted()).toEqual([...Object.keys(CORE_MEMBERS), 'lastSubmissionAt'].toSorted());
    expect(indexes).toEqual([{ sourceAppId: 1 }, { deletingSince: 1 }, { lastSubmissionAt: 1 }]);
  });

  it('cannot claim a member of another part or of the core', () => {
    expect(() => createAppParts([seen, seen])).toThrow('two parts have the member lastSubmissionAt');
    expect(() => createAppParts([{ members: { role: String } }])).toThrow('two parts have the member role');
  });

  it('add what they read of it, and what a schema changes', () => {
    const { toApp, isSame, underSchema } = createAppParts([seen, files]);
    const app = toApp(stored);
    expect(app).toEqual({ ...core, lastSubmissionAt: new Date(1) });
    expect(isSame(app, { ...app })).toBe(true);
    expect(isSame(app, { ...app, lastSubmissionAt: new Date(2) })).toBe(false);
    expect(underSchema(app, under())).toEqual(app);
    expect(underSchema(app, under(new Set(['cv'])))).toEqual({ ...app, keepsFiles: true });
    expect(app).not.toHaveProperty('keepsFiles');
  });
});

describe('the parts of the service', () => {
  const { toApp, isSame, underSchema } = createAppParts(APP_PARTS);
  const slot = { slot: 's0', key: 'plan', kind: 'text', state: 'ready', since: 1, done: 0, total: 0 } as const;
  const app = toApp({ ...stored, slots: [{ ...slot, id: new ObjectId() }], slotEpoch: 1 });

  it('end a lease when the indexes or the settings of forms are others, not when a submission arrived', () => {
    expect(isSame(app, { ...app, lastSubmissionAt: new Date(), hasConsumers: true })).toBe(true);
    expect(isSame(app, { ...app, slots: undefined })).toBe(false);
    expect(isSame(app, { ...app, slotEpoch: 2 })).toBe(false);
    const form = { revision: new ObjectId() } as NonNullable<typeof app.form>;
    expect(isSame(app, { ...app, form })).toBe(false);
    expect(isSame({ ...app, form: { ...form } }, { ...app, form })).toBe(true);
  });

  it('give slots their new keys while values move, and store the events of files', () => {
    const moving = { version: 2, pairs: [{ from: 'plan', to: 'level' }] };
    expect(underSchema(app, under(undefined, moving)).slots).toMatchObject([{ key: 'level' }]);
    expect(app).toMatchObject({ slots: [{ key: 'plan' }], hasConsumers: false, keepsFiles: false });
    const withFiles = underSchema(app, under(new Set(['cv'])));
    expect(withFiles).toMatchObject({ hasConsumers: true, keepsFiles: true });
  });

  it('keep the submissions of a new app that asks for it', () => {
    const history = { submissions: true, days: 30 };
    expect(historyMembers(history)).toEqual({ history, consumers: ['submissions'] });
    const ofEdits = { submissions: false, days: 30 };
    expect(historyMembers(ofEdits)).toEqual({ history: ofEdits });
  });
});
