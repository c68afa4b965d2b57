import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/platform/core/config.ts';
import { parseFilesUrl } from '../../src/platform/core/files-url.ts';

describe('FILES_URL', () => {
  it.each([
    ['s3://files', { bucket: 'files', prefix: '', endpoint: undefined, region: undefined }],
    ['s3://files/', { bucket: 'files', prefix: '', endpoint: undefined, region: undefined }],
    ['s3://my.files-1/a/b', { bucket: 'my.files-1', prefix: 'a/b/', endpoint: undefined, region: undefined }],
    [
      's3://files/a/?region=eu-central-1',
      { bucket: 'files', prefix: 'a/', endpoint: undefined, region: 'eu-central-1' },
    ],
    [
      's3://files?endpoint=http://127.0.0.1:9000',
      { bucket: 'files', prefix: '', endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' },
    ],
    [
      's3://files/x?endpoint=https%3A%2F%2Fs3.example.com%2F&region=auto',
      { bucket: 'files', prefix: 'x/', endpoint: 'https://s3.example.com', region: 'auto' },
    ],
  ])('accepts %s', (text, expected) => {
    expect(parseFilesUrl(text)).toEqual(expected);
    expect(loadConfig({ FILES_URL: text }).filesBucket).toEqual(expected);
  });

  it.each([
    'files',
    '/var/files',
    'https://s3.example.com/files',
    's3://',
    's3:///prefix',
    's3://ab',
    's3://Files',
    's3://files_of_us',
    's3://user:password@files',
    's3://files/a//b',
    's3://files/a b',
    's3://files/%2e%2e',
    `s3://files/${'a'.repeat(500)}`,
    's3://files#fragment',
    's3://files?region=eu&region=us',
    's3://files?Region=eu',
    's3://files?region=',
    's3://files?secret=x',
    's3://files?endpoint=s3.example.com',
    's3://files?endpoint=https://user:password@s3.example.com',
    's3://files?endpoint=https://s3.example.com/path',
    's3://files?endpoint=',
  ])('refuses %s, and names neither it nor a password', (text) => {
    expect(parseFilesUrl(text)).toBeUndefined();
    expect(() => loadConfig({ FILES_URL: text })).toThrow(
      /^FILES_URL must be s3:\/\/bucket, s3:\/\/bucket\/prefix, or either with \?endpoint=https:\/\/host&region=name; credentials are the variables of AWS$/,
    );
  });

  it('is not needed', () => {
    expect(loadConfig({}).filesBucket).toBeUndefined();
    expect(loadConfig({ FILES_URL: '' }).filesBucket).toBeUndefined();
  });
});
