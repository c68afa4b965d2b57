import { z } from 'zod';
import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { type FieldDefinition, isOfStaff } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { orAbsent } from './app-setting.ts';

/** The most fields of a schema. */
const MAX_KEYS = 100;

/** A switch that is on unless it is sent as false. */
const isOnByDefault = () =>
  z
    .boolean(code('notBoolean'))
    .nullish()
    .transform((isOn) => isOn ?? true);

/** What people may do with their entry (spec 4.16). */
export interface Own {
  /** The keys of the fields that they may change. Undefined: all that the public may set. */
  fields?: string[] | undefined;
  erase: boolean;
  export: boolean;
}

export const ownSettings = {
  own: orAbsent(
    z
      .strictObject({
        fields: z
          .array(z.string(code('notText')).regex(FIELD_KEY_PATTERN, code('notFieldKey')))
          .max(MAX_KEYS, code('tooManyItems', { max: MAX_KEYS }))
          .nullish()
          .transform((keys) => keys && [...new Set(keys)])
          .meta({ example: ['name'] }),
        erase: isOnByDefault(),
        export: isOnByDefault(),
      })
      .transform(({ fields, ...others }): Own => ({ ...(fields && { fields }), ...others })),
    {
      description: 'What people may do with their entry by a link in an email; absent: nothing',
      example: { fields: ['name'], erase: true, export: true },
      needs: () => 'links',
      // A stored key stays, as in a reply.
      async check({ fields: keys = [] }, readFields, stored) {
        if (keys.length === 0) return [];
        const fields = await readFields();
        const unknown = keys.flatMap((key, at) => (isChangeable(fields.get(key)) ? [] : [{ key, at }]));
        if (unknown.length === 0) return [];
        const { fields: kept = [] } = (await stored()) ?? {};
        return unknown.flatMap(({ key, at }) => {
          const reason = fields.has(key) ? say('notOwnField') : say('unknownField');
          return kept.includes(key) ? [] : [{ path: `fields.${at}`, ...reason }];
        });
      },
    },
  ),
};

/** Whether people can change the values of a field: not of the staff, and not appended to. */
const isChangeable = (field: FieldDefinition | undefined): boolean =>
  field !== undefined && !isOfStaff(field) && !getKind(field.kind).appendedItems;

/** Returns the keys of the fields that people may change, in the order of the newest schema. */
export const changeableKeys = ({ fields: keys }: Pick<Own, 'fields'>, { schema }: Pick<Lease, 'schema'>): string[] =>
  schema.fields.flatMap((field) =>
    isChangeable(field) && (keys === undefined || keys.includes(field.key)) ? [field.key] : [],
  );
