const url = process.env.DATABASE_URL;
if (!url) {
  console.error("Set DATABASE_URL to the owner of an empty database: postgres://postgres:secret@localhost:5432/shop");
  process.exit(1);
}

/** For migrations. */
export const ownerUrl = url;
/** For requests: the parameter replaces the user. It has the owner's password; yours would have its own. */
export const loginUrl = `${url}${url.includes("?") ? "&" : "?"}user=shop_login`;
