import { describeKind } from '../cases.ts';

const plans = { enum: ['free', 'pro', ''] };
const notAllowed = 'must be one of the allowed values';

describeKind('select', {
  definitions: {
    accepted: [{ enum: ['a'] }],
    refused: [
      [{}, 'Invalid input'],
      [{ enum: [] }, 'must list at least one value'],
      [{ enum: [1] }, 'Invalid input'],
      [{ enum: 'a' }, 'Invalid input'],
      [{ enum: ['a'], maxLength: 1 }, 'Unrecognized key'],
    ],
  },
  values: {
    accepted: [
      [plans, 'free'],
      [plans, ''],
      [{ ...plans, required: true }, 'pro'],
    ],
    refused: [
      [plans, 'Free', notAllowed],
      [plans, 'constructor', notAllowed],
      [plans, 1, 'must be a text'],
      [plans, null, 'must be a text'],
      [plans, ['free'], 'must be a text'],
    ],
  },
  controls: [
    [plans, { type: 'select', attributes: {}, choices: ['free', 'pro', ''] }],
    [{ enum: ['a', 'b', 'a'] }, { type: 'select', attributes: {}, choices: ['a', 'b'] }],
  ],
  samples: [[plans, 'free']],
  change: 'replace',
});
