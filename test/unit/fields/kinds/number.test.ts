import { describeKind } from '../cases.ts';

/** A number beyond the range of a double, as it arrives in a request. */
const INFINITE = JSON.parse('1e400');

describeKind('number', {
  definitions: {
    accepted: [{}, { min: -1.5, max: -1.5 }, { min: 0 }, { max: 1e300 }],
    refused: [
      [{ min: 2, max: 1 }, 'fields.0.min must not be greater than max'],
      [{ min: '1' }, 'Invalid input'],
      [{ max: INFINITE }, 'Invalid input'],
      [{ regex: '1' }, 'Unrecognized key'],
    ],
  },
  values: {
    accepted: [
      [{}, 0],
      [{}, -0.5],
      [{}, Number.MAX_VALUE],
      [{ min: 1, max: 2 }, 1],
      [{ min: 1, max: 2 }, 2],
    ],
    refused: [
      [{}, INFINITE, 'must be a number'],
      [{}, Number.NaN, 'must be a number'],
      [{}, '1', 'must be a number'],
      [{}, true, 'must be a number'],
      [{}, null, 'must be a number'],
      [{ min: 1 }, 0.999, 'must be at least 1'],
      [{ max: -2 }, -1.999, 'must be at most -2'],
    ],
  },
  controls: [
    [{}, { type: 'number', attributes: { step: 'any' }, choices: [] }],
    [
      { min: 0, max: 9 },
      { type: 'number', attributes: { step: 'any', min: 0, max: 9 }, choices: [] },
    ],
  ],
  samples: [
    [{}, 1],
    [{ min: 18 }, 18],
    [{ max: -1 }, -1],
    [{ min: -5, max: 5 }, 1],
  ],
  change: 'replace',
});
