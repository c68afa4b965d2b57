export const members = {
  roles: { admin: 'admin', shared: 'shared password', viewer: 'viewer', editor: 'editor', manager: 'manager' },
};
