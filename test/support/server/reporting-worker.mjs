// A worker of a pool that serves nothing, and reports every 10 ms.
process.on('message', (message) => {
  if ('stop' in message) process.exit(0);
  process.send({ ready: 'http://worker' });
  setInterval(() => process.send({ connections: 0 }), 10);
});
process.send({ reading: true });
