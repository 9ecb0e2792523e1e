it("a new user confirms the address", () => {
  cy.inbox().then((inbox) => {
    cy.visit("/");
    cy.contains("label", "Email").find("input").type(inbox.address);
    cy.contains("button", "Sign up").click();

    cy.waitForMessage(inbox, { subject: "Confirm" }).then((message) => {
      expect(message.code()).to.equal("804219");
      cy.visit(message.link("Confirm"));
    });
    cy.contains("h1", "Confirmed");
    cy.expectMessages(inbox, 1);
  });
});

it("nothing is sent without a sign-up", () => {
  cy.inbox().then((inbox) => cy.expectNoMessage(inbox, { timeout: 200 }));
});
