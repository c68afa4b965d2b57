import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { applyRules } from '../../../src/core/schemas/checked-data.ts';
import { createSchemaParts, type SchemaPart } from '../../../src/core/schemas/schema-part.ts';
import { CORE_MEMBERS, createSchemaModel, type StoredSchema } from '../../../src/core/schemas/schemas.model.ts';
import { renamePart } from '../../../src/features/renames/rename-part.ts';
import { createClosedConnection } from '../../../src/platform/database/client.ts';

const stored: StoredSchema = { id: new ObjectId(), schema: { version: 1, rejectUnknown: false, fields: [] } };
const moving = { version: 1, pairs: [{ from: 'plan', to: 'level' }] };
const field = (key: string) => ({ key, label: key, kind: 'text', required: false }) as const;

/** Adds a member to data, so that the order of rules shows. */
const marking = (mark: string): SchemaPart => ({
  rule: () => ({
    read: (sent) => ({ ...sent, marks: `${sent.marks ?? ''}${mark}` }),
    issues: () => [{ path: `data.${mark}`, code: 'required', message: mark }],
  }),
});

describe('the stored schemas without parts', () => {
  it('have the members and the index of the core only, and no rule', () => {
    const parts = createSchemaParts();
    const { schema } = createSchemaModel(createClosedConnection(), parts);
    const { properties } = schema.toJSONSchema({ useBsonType: true });
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(CORE_MEMBERS).toSorted());
    expect(schema.indexes().map(([keys]) => keys)).toEqual([{ appId: 1, version: -1 }]);
    expect(parts.rules(stored)).toEqual([]);
    expect(parts.lease(stored)).toEqual({});
  });
});

describe('the parts of schemas', () => {
  it('cannot claim a member of another part or of the core', () => {
    expect(() => createSchemaParts([renamePart, renamePart])).toThrow('two parts have the member renames');
    expect(() => createSchemaParts([{ members: { fields: Object } }])).toThrow('two parts have the member fields');
  });

  it('read and check data one after the other', () => {
    const rules = createSchemaParts([marking('a'), {}, marking('b')]).rules(stored);
    expect(applyRules({ name: 'Ada' }, { rules })).toEqual({ name: 'Ada', marks: 'ab' });
    expect(rules.flatMap((rule) => rule.issues({})).map(({ path }) => path)).toEqual(['data.a', 'data.b']);
  });
});

describe('the part of renames', () => {
  const parts = createSchemaParts([renamePart]);
  const next = { version: 2, fields: [field('level')] };
  const newest = { ...stored, schema: { ...stored.schema, fields: [field('plan')] } };

  it('adds its members to a version that renames a field, and to those that follow while values move', () => {
    const change = { rejectUnknown: false, fields: [], renames: moving.pairs };
    expect(parts.extend(change, next, newest)).toEqual({ renames: moving.pairs, moving: { ...moving, version: 2 } });
    const later = { rejectUnknown: false, fields: [] };
    expect(parts.extend(later, next, { ...stored, moving })).toEqual({ moving });
    expect(parts.extend(later, next, newest)).toEqual({});
  });

  it('refuses a rename before the values of the last one were moved', () => {
    const change = { rejectUnknown: false, fields: [], renames: moving.pairs };
    expect(() => parts.extend(change, next, { ...newest, moving })).toThrow();
  });

  it('takes data under the old keys of a schema that keeps unknown keys, and refuses both keys', () => {
    const rules = parts.rules({ ...stored, moving });
    expect(applyRules({ plan: 'pro' }, { rules })).toEqual({ level: 'pro' });
    expect(rules.flatMap((rule) => rule.issues({ plan: 'pro', level: 'pro' }))).toMatchObject([{ path: 'data.plan' }]);
    const strict = parts.rules({ ...stored, schema: { ...stored.schema, rejectUnknown: true }, moving });
    expect(applyRules({ plan: 'pro' }, { rules: strict })).toEqual({ plan: 'pro' });
    expect(parts.rules(stored)).toEqual([]);
  });
});
