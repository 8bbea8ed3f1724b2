// The control of the scenarios: what is not so fails.
const { assert } = require("./harness.js");

exports.run = async () => assert.equal(1, 2, "one is two");
