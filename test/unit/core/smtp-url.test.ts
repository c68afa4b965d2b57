import { describe, expect, it } from 'vitest';
import { parseMailbox, parseSmtpUrl } from '../../../src/platform/core/smtp-url.ts';

describe('parseSmtpUrl', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isSecure: false, requiresTls: false }],
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, isSecure: true, requiresTls: false }],
    ['smtp://mail.example.com:2525/', { port: 2525, isSecure: false }],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
    ['smtp://ada:p%40ss%3A%2F@mail.example.com', { auth: { user: 'ada', pass: 'p@ss:/' }, requiresTls: true }],
    [
      'smtp://ada%40example.com:secret@localhost:25',
      { auth: { user: 'ada@example.com', pass: 'secret' }, requiresTls: false },
    ],
    ['smtp://ada:secret@127.0.0.1', { requiresTls: false }],
    ['smtps://ada:secret@mail.example.com', { isSecure: true, requiresTls: false }],
  ])('reads %s', (text, server) => {
    expect(parseSmtpUrl(text)).toMatchObject(server);
  });

  it.each([
    '',
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp:///x',
    'smtp://host/path',
    'smtp://host?pool=true',
    'smtp://host#x',
    'smtp://user@host',
    'smtp://:pass@host',
    'smtp://a:%zz@host',
    'smtp://host:99999',
    'smtp://ho st',
  ])('refuses %j', (text) => {
    expect(parseSmtpUrl(text)).toBeUndefined();
  });
});

describe('parseMailbox', () => {
  it.each([
    ['forms@example.com', { name: '', address: 'forms@example.com' }],
    [' Forms@Example.com ', { name: '', address: 'forms@example.com' }],
    ['Forms <forms@example.com>', { name: 'Forms', address: 'forms@example.com' }],
    ['"Forms, Inc." <forms@example.com>', { name: 'Forms, Inc.', address: 'forms@example.com' }],
    ['Añ <forms@example.com>', { name: 'Añ', address: 'forms@example.com' }],
  ])('reads %s', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  it.each([
    '',
    'Forms',
    'Forms <>',
    'Forms <forms>',
    '<a@example.com>, <b@example.com>',
    'a@example.com, b@example.com',
    'A\r\nBcc: b@example.com <a@example.com>',
    'a@example.com\r\nBcc: b@example.com',
    'A <a@example.com> x',
  ])('refuses %j', (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });
});
