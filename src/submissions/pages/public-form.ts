import { DEFAULT_FORM_SETTINGS, type FormSettings } from '../../apps/form-settings/form-settings.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { SchemaLeases } from '../../schemas/schema-leases.ts';

/** The public form of an app: its settings in force and the fields of its newest schema. */
export interface PublicForm {
  sourceAppId: string;
  settings: FormSettings;
  fields: readonly FieldDefinition[];
}

/** Resolves with the form of an app; undefined when no app has this id. @throws {Unavailable} */
export type FindForm = (sourceAppId: string) => Promise<PublicForm | undefined>;

/** Reads forms through leases, so that a change is in force when its PUT has answered. */
export function createFormLookup(leases: Pick<SchemaLeases, 'hold'>): FindForm {
  return async (sourceAppId) => {
    const lease = await leases.hold(sourceAppId);
    if (!lease) return undefined;
    return { sourceAppId, settings: lease.app.form ?? DEFAULT_FORM_SETTINGS, fields: lease.schema.fields };
  };
}
