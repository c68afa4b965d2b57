/** A text with signs, its HTML, and its plain text with and without addresses if they differ. */
interface MarkVector {
  text: string;
  html: string;
  plain: string;
  email?: string;
}

const link = (href: string, text: string) => `<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;

/** A text that stays as it is. */
const same = (text: string): MarkVector => ({
  text,
  html: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  plain: text,
});

export const markVectors: readonly MarkVector[] = [
  { text: '**Bold** text', html: '<strong>Bold</strong> text', plain: 'Bold text' },
  { text: 'An *italic* word', html: 'An <em>italic</em> word', plain: 'An italic word' },
  {
    text: '[Terms](https://x.example/terms?a=1&b=2)',
    html: link('https://x.example/terms?a=1&amp;b=2', 'Terms'),
    plain: 'Terms',
    email: 'Terms (https://x.example/terms?a=1&b=2)',
  },
  {
    text: 'Write [us](mailto:us@x.example).',
    html: 'Write <a href="mailto:us@x.example" rel="noopener noreferrer">us</a>.',
    plain: 'Write us.',
    email: 'Write us (us@x.example).',
  },
  {
    text: '**Read [the *terms*](HTTPS://x.example)**',
    html: `<strong>Read ${link('HTTPS://x.example', 'the <em>terms</em>')}</strong>`,
    plain: 'Read the terms',
    email: 'Read the terms (HTTPS://x.example)',
  },
  { text: '***both***', html: '<em><strong>both</strong></em>', plain: 'both' },
  { text: '***a** b*', html: '<em><strong>a</strong> b</em>', plain: 'a b' },
  { text: '**a *b***', html: '<strong>a <em>b</em></strong>', plain: 'a b' },
  { text: '("**a**"),*b*!', html: '("<strong>a</strong>"),<em>b</em>!', plain: '("a"),b!' },
  { text: 'これは**太字**です', html: 'これは<strong>太字</strong>です', plain: 'これは太字です' },
  { text: '**굵게**는', html: '<strong>굵게</strong>는', plain: '굵게는' },
  { text: '**жирный** текст', html: '<strong>жирный</strong> текст', plain: 'жирный текст' },
  { text: '*a **b* c**', html: '<em>a **b</em> c**', plain: 'a **b c**' },
  { text: '*open and *closed*', html: '*open and <em>closed</em>', plain: '*open and closed' },
  { text: '**a [b** c', html: '<strong>a [b</strong> c', plain: 'a [b c' },
  {
    text: '[a [b](https://x.example)',
    html: `[a ${link('https://x.example', 'b')}`,
    plain: '[a b',
    email: '[a b (https://x.example)',
  },
  { text: '\\*a*', html: '\\<em>a</em>', plain: '\\a' },
  { text: '*<b>*', html: '<em>&lt;b&gt;</em>', plain: '<b>' },
  same('<b>bold</b> <img src=x onerror=alert(1)> & more'),
  same('[a](javascript:alert(1))'),
  same('[a](http://x.example)'),
  same('[a](https:x.example)'),
  same('[a](data:text/html,x)'),
  same('[a](//x.example)'),
  same('[a]( https://x.example)'),
  same('[a](https://x.example "title")'),
  same('[a](https://x.example/<script>)'),
  same('[a](https://x.example/\u202Etxt)'),
  same('[a](https://)'),
  same('[](https://x.example)'),
  same('[a] (https://x.example)'),
  same('![a][b] https://x.example a@x.example'),
  same('**unclosed and *unclosed'),
  same('closed** and closed*'),
  same('2 * 3 * 4 and 2 ** 3 ** 4'),
  same('Nutzer*innen und Kund*innen, a**b**c, 2*3*4, слово**в**слове, café*s*x'),
  { text: '**a**b and b**a**', html: '<strong>a**b and b**a</strong>', plain: 'a**b and b**a' },
  same('** a ** and * b *'),
  same('* one\n* two\n*three\nfour*'),
  same('**** and **** and *****a*****'),
  same('_a_ __b__ `c` # d\n- e\n> f\n~~g~~'),
];

const NAMED: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/** The same HTML with one escape sequence for each character that needs one. */
export const normalHtml = (rendered: string): string =>
  rendered.replaceAll('&quot;', '"').replace(/&#(x?)(\w+);/gi, (_, hex, code) => {
    const character = String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10));
    return NAMED[character] ?? character;
  });
