import { type IndexSlot, isCurrentVersion, SLOT_NAMES, type SlotName } from '../../apps/index-slots.ts';
import { type FieldDefinition, isIndexed } from '../../fields/definition.ts';

/** A field that needs a slot. */
export type WantedField = Pick<FieldDefinition, 'key' | 'kind'>;

/** How the slots of an app follow its newest schema. */
export interface SlotPlan {
  /** Uses of slots that end. */
  drop: IndexSlot[];
  /** Uses that begin. Fields for which no slot is free yet are left out. */
  claim: (WantedField & { slot: SlotName })[];
}

/** The fields of a schema that need a slot. */
export function wantedFields(fields: readonly FieldDefinition[]): WantedField[] {
  return fields.filter(isIndexed).map(({ key, kind }) => ({ key, kind }));
}

/**
 * Compares the indexed fields of the newest schema with the slots of the app. A field whose kind
 * changed gives its slot up and claims another one, and so does one whose slot has values of an
 * earlier version. A slot that is being dropped is not free.
 */
export function planSlots(slots: readonly IndexSlot[], wanted: readonly WantedField[]): SlotPlan {
  const kept = slots.filter((slot) => slot.state !== 'dropping' && wanted.some((field) => serves(slot, field)));
  const free = SLOT_NAMES.filter((name) => !slots.some(({ slot }) => slot === name));
  const missing = wanted.filter((field) => !kept.some((slot) => serves(slot, field)));
  return {
    drop: slots.filter((slot) => slot.state !== 'dropping' && !kept.includes(slot)),
    claim: missing.flatMap((field, index) => {
      const slot = free[index];
      return slot ? [{ ...field, slot }] : [];
    }),
  };
}

function serves(slot: IndexSlot, field: WantedField): boolean {
  return slot.key === field.key && slot.kind === field.kind && isCurrentVersion(slot);
}
