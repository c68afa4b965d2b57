import { describeKind } from '../cases.ts';

const notBoolean = 'must be true or false';

describeKind('checkbox', {
  definitions: {
    accepted: [
      {},
      { required: true },
      { help: 'x'.repeat(500), hidden: true, prefill: false },
      { default: false },
      { required: true, default: true },
      { consent: { version: 'x'.repeat(50) } },
      { consent: { version: '2', url: 'https://example.com/terms?v=2#top' } },
      { consent: { version: '2', url: 'http://localhost:3000/terms' } },
      { consent: { version: '2', url: 'http://127.0.0.1/' } },
    ],
    refused: [
      [{ min: 1 }, 'Unrecognized key'],
      [{ placeholder: 'x' }, 'Unrecognized key'],
      [{ autocomplete: 'off' }, 'Unrecognized key'],
      [{ ui: 'radio' }, 'Unrecognized key'],
      [{ source: 'page' }, 'Unrecognized key'],
      [{ enumLabels: {} }, 'Unrecognized key'],
      [{ default: 'true' }, '0.default Invalid input'],
      [{ required: true, default: false }, 'fields.0.default must be true'],
      [{ consent: true }, '0.consent Invalid input'],
      [{ consent: {} }, '0.consent.version Invalid input'],
      [{ consent: { version: '' } }, '0.consent.version Too small'],
      [{ consent: { version: 'x'.repeat(51) } }, '0.consent.version Too big'],
      [{ consent: { version: '1', text: 'x' } }, '0.consent Unrecognized key'],
      ...[
        'http://example.com/',
        'http://localhost.example.com/',
        'https://',
        'javascript:alert(1)',
        'https:example.com',
        ' https://example.com/',
        'https://example.com/a b',
        'https://exa\nmple.com/',
        '/terms',
        '',
      ].map((url): [Record<string, unknown>, string] => [
        { consent: { version: '1', url } },
        '0.consent.url must be an https URL, or an http URL on localhost',
      ]),
    ],
  },
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
  controls: [
    [{}, { type: 'checkbox' }],
    [{ default: false }, { type: 'checkbox', default: 'false' }],
    [
      { required: true, consent: { version: '2', url: 'https://example.com/' } },
      { type: 'checkbox', required: true, consent: { version: '2', url: 'https://example.com/' } },
    ],
    // Nothing but a person ticks a consent.
    [
      { consent: { version: '2' }, default: true, prefill: true },
      { type: 'checkbox', prefill: false, consent: { version: '2' } },
    ],
    [
      { default: true, prefill: true },
      { type: 'checkbox', prefill: true, default: 'true' },
    ],
  ],
  texts: {
    converted: [
      ...['on', 'true', '1', 'yes', 'ON', 'True', ' yes '].map((text): [string, boolean] => [text, true]),
      ...['off', 'false', '0', 'no', 'No', '\tOFF\n'].map((text): [string, boolean] => [text, false]),
      [' ', undefined],
    ],
    refused: ['maybe', '2', 'y', 'null', '１', 'constructor'].map((text): [string, string] => [text, notBoolean]),
  },
  samples: [[{}, true]],
  change: 'replace',
});
