// #region graphile-migrate-review
export default { schemas: "^shop$" };
// #endregion
