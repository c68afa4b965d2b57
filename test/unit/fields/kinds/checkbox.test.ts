import { describeKind } from '../cases.ts';

const notBoolean = 'must be true or false';

describeKind('checkbox', {
  definitions: { accepted: [{}, { required: true }], refused: [[{ min: 1 }, 'Unrecognized key']] },
  values: {
    accepted: [
      [{}, true],
      [{}, false],
      [{ required: true }, true],
    ],
    refused: [
      [{ required: true }, false, 'must be true'],
      [{}, 'true', notBoolean],
      [{}, 1, notBoolean],
      [{}, null, notBoolean],
    ],
  },
  controls: [[{}, { type: 'checkbox', attributes: {}, choices: [] }]],
  samples: [[{}, true]],
  change: 'replace',
});
