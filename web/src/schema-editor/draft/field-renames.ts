import type { Schema } from '../../api/endpoints.ts';
import type { Draft } from './draft.ts';

/** A field of a draft whose key was changed. */
export interface FieldRename {
  /** The id of the field in the draft. */
  id: number;
  from: string;
  to: string;
  /** Whether the stored values move to the new key. Otherwise they stay under the old one. */
  keepsData: boolean;
}

/** The renames of a draft that the service accepts, by type and keys. */
export function renamesOf({ fields: before }: Pick<Schema, 'fields'>, { fields }: Draft): FieldRename[] {
  return fields.flatMap(({ id, originalKey: from, definition: { key: to, kind }, startsEmpty }) => {
    if (from === undefined || from === to) return [];
    const hasSameKind = before.some((field) => field.key === from && field.kind === kind);
    const isTaken = before.some(({ key }) => key === to) || fields.some(({ definition }) => definition.key === from);
    return hasSameKind && !isTaken ? [{ id, from, to, keepsData: startsEmpty !== true }] : [];
  });
}

/** Chooses whether the stored values of a renamed field move to its new key. */
export function chooseData(draft: Draft, id: number, keepsData: boolean): Draft {
  return {
    ...draft,
    fields: draft.fields.map((field) => (field.id === id ? { ...field, startsEmpty: !keepsData } : field)),
  };
}

interface VersionRenames {
  version: number;
  renames?: readonly { from: string; to: string }[] | undefined;
}

/** Returns the later key of a key of one version, by the renames of the fields. */
export function keyInVersion(versions: readonly VersionRenames[], from: number, to: number): (key: string) => string {
  const steps = versions
    .filter(({ version }) => version > from && version <= to)
    .toSorted((one, other) => one.version - other.version);
  return (key) =>
    steps.reduce((current, { renames = [] }) => renames.find((rename) => rename.from === current)?.to ?? current, key);
}
