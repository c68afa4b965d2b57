import { defineKind } from '../kind.ts';

/** A box that is ticked or not. Required means ticked: the usual "I agree" (SPEC 2.3). */
export const checkbox = defineKind({
  kind: 'checkbox',
  options: {},
  compile:
    ({ required }) =>
    (value, report) => {
      if (typeof value !== 'boolean') return report('must be true or false');
      if (required && !value) report('must be true');
    },
});
