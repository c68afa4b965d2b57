import { defineKind } from '../kind.ts';

/** A boolean. A required one must be `true`, as for terms that a person has to accept. */
export const checkbox = defineKind({
  name: 'checkbox',
  displayName: 'Checkbox',
  options: {},
  compile:
    ({ required }) =>
    (value, report) => {
      if (typeof value !== 'boolean') return report('must be true or false');
      if (required && !value) report('must be true');
    },
  sample: () => true,
  control: 'checkbox',
});
