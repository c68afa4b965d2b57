// @module-tag long

import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const hundred = (regex: string): FieldDefinitionInput[] =>
  Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, kind: 'text', regex }));

describe('patterns over HTTP (docs/decisions/0008-kinds.md)', () => {
  it.each([
    [
      'too large to compile',
      '(?:a|b|c|d){1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}',
      /is too large/,
      'patternTooLarge',
    ],
    ['too long', 'a'.repeat(501), /must have at most 500 characters/, 'tooLong'],
    ['with a look-ahead', '^(?=.*\\d).+$', /is not a pattern that can be used: .+/, 'patternInvalid'],
    ['with a look-behind', '(?<!a)b', /is not a pattern that can be used: .+/, 'patternInvalid'],
    ['with a back-reference', '(a)\\1', /is not a pattern that can be used: .+/, 'patternInvalid'],
    ['with an unclosed group', '(a', /is not a pattern that can be used: .+/, 'patternInvalid'],
  ])('are refused at the PUT with the reason: a pattern %s', async (_name, regex, reason, code) => {
    const { sourceAppId } = await server.admin.buildApp();
    for (const sent of [
      server.admin.putSchema(sourceAppId, { fields: [{ key: 'f', kind: 'text', regex }] }),
      server.admin.post(`/auth/apps/${sourceAppId}/schema/check`, {
        rejectUnknown: false,
        fields: [{ key: 'f', kind: 'text', regex }],
      }),
    ]) {
      const { body } = await sent.expect(400);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0]).toMatchObject({ path: 'fields.0.regex', message: expect.stringMatching(reason), code });
    }
  });

  it('are refused with at most 20 errors if 100 of them are too large together', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin.putSchema(sourceAppId, { fields: hundred('^.{1,1000}$') }).expect(400);
    expect(body.errors).toHaveLength(20);
  });

  it('refuse 100 expensive texts when the step budget of the submission is spent, and accept cheap texts', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: hundred('[ab]*a[ab]{21}$') });
    const texts = (text: string) => Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, text]));
    const { body } = await server.client
      .submit(sourceAppId, { email: 'a@example.com', data: texts('ab'.repeat(450)) })
      .expect(400);
    expect(body.errors.at(-1).message).toBe('is too long to be checked against the pattern');
    await server.client.submit(sourceAppId, { email: 'a@example.com', data: texts(`a${'b'.repeat(21)}`) }).expect(200);
  });
});
