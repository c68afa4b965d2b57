import { readFile } from 'node:fs/promises';
import { call, logIn } from './client.mjs';
const look = JSON.parse(await readFile('/tmp/look.json', 'utf8'));
const send = await logIn(look.url, look.admin.sourceAppId, look.admin.password);
await send('POST', '/auth/apps', { sourceAppId: 'contact', history: { submissions: true } });
await send('PUT', '/auth/apps/contact/schema', { rejectUnknown: false, fields: [
 { key: 'name', label: 'Your name', kind: 'text' }, { key: 'message', label: 'Message', kind: 'text', ui: 'textarea', maxLength: 5000 },
 { key: 'photo', label: 'Photo', kind: 'file', types: ['png','jpeg'] },
 { key: 'status', label: 'Status', kind: 'select', enum: ['new','in progress','done'], default: 'new', writers: 'staff' } ]});
const people = [['ada@example.com','Ada Lovelace','Hello, I would like to know whether the course in March still has a place for two people. We come from London and would need a room as well.\n\nThank you!'],['grace@example.com','Grace Hopper','Please send me an invoice for order 42.'],['alan@example.com','Alan Turing','Is the form on my site allowed to be in a frame?'],['ada@example.com','Ada Lovelace','One more thing: is lunch included?'],['very.long.name.of.somebody@subdomain.example.com','Somebody','x']];
for (const [email,name,message] of people) await call(look.url, 'POST', '/v1/users', { email, data: { name, message } }, { headers: { 'x-app-id': 'contact' } });
await new Promise((r) => setTimeout(r, 5000));
const { submissions } = await send('GET', '/auth/submissions?sourceAppId=contact');
console.log(submissions[1].id);
