import { plainLabel } from '#src/features/display/marks.ts';
import { t } from '../../texts/texts.ts';
import type { LooseDefinition } from '../draft/draft.ts';

/** What the editor calls a field. */
export const fieldLabel = (definition: LooseDefinition): string =>
  plainLabel(definition) || definition.key || t.schemaEditor.unnamed;
