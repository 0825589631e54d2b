/** What `opsbook.yaml` means that leaves a key out: the schema shows it, and those who read the file apply it. */
export const configurationDefaults = {
  engine: 'embedded',
  notifyFormat: 'json',
  hookEvent: 'incident',
  socketMode: '0600',
  oidc: { scope: 'profile', nameClaim: 'preferred_username', groupsClaim: 'groups' },
  proxyHeaders: {
    user: 'X-Forwarded-User',
    groups: 'X-Forwarded-Groups',
    secret: 'X-Opsbook-Proxy-Secret',
    address: 'X-Forwarded-For',
  },
} as const
